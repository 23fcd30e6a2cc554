import Alerts
import Configuration
import Core
import Profiles
import Testing

@testable import Devices
@testable import HardwareIO

@Suite struct OverlaidConfigurationTests {
    private static let file = """
        {"name": "test", "title": "Test", "reach": ["loopback"], "devices": [
          {"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"},
          {"name": "slow", "type": "sds011", "port": "/dev/ttyUSB1", "periodSeconds": 600},
          {"name": "door", "type": "pir", "line": "GPIO17"},
          {"name": "roof", "type": "milano-board", "address": "http://10.0.0.1/"}]}
        """

    private static func laid(_ overlay: String, over file: String = file) throws
        -> OverlaidConfiguration
    {
        OverlaidConfiguration(
            try StationConfiguration.read(Array(file.utf8), file: "roost.json"),
            try StationOverlay.read(Array(overlay.utf8), file: "settings.json"),
            catalog: .shipped
        )
    }

    @Test func addsADeviceThatAsksTheLocalNetworkAlone() throws {
        let text = """
            {"devices": {"board": {"type": "milano-board", "address": "http://board.lan:3000/",
             "intervalSeconds": 7, "record": false}}, "zone": "Europe/Rome"}
            """
        let laid = try Self.laid(text)
        #expect(laid.problems.isEmpty)
        let device = try #require(laid.configuration.devices.last)
        #expect(device.name == "board" && laid.configuration.own == ["board"])
        #expect(laid.configuration.unrecorded == ["board"])
        #expect(laid.configuration.zone == "Europe/Rome")
        guard case .http(let http) = device.kind else {
            Issue.record("no HTTP device")
            return
        }
        #expect(http.interval == .seconds(7) && http.target.reach == [.loopback])
        // Devices of the file may ask every local address, as before.
        guard case .http(let roof) = laid.configuration.devices[3].kind else { return }
        #expect(roof.target.reach == .all)
    }

    @Test func theFilesServerOfMapPicturesCounts() throws {
        let (own, other) = ("https://a.org/{z}/{x}/{y}.png", "https://b.org/{z}/{x}/{y}.png")
        let overlay = #"{"tiles": "\#(own)"}"#
        let open = try Self.laid(overlay)
        #expect(open.problems.isEmpty && open.configuration.tiles?.template == own)
        let locked = try Self.laid(overlay, over: #"{"tiles": "\#(other)"}"#)
        #expect(locked.configuration.tiles?.template == other)
        #expect(locked.problems.map(\.place) == ["tiles"])
    }

    @Test func theFilesChannelsOfNowCount() throws {
        let overlay = #"{"nowFirst": "dust/pm25", "nowHidden": "gone/n03, dust/pm10"}"#
        let open = try Self.laid(overlay)
        #expect(open.problems.isEmpty && open.configuration.nowFirst?.ids == ["dust/pm25"])
        #expect(open.configuration.nowHidden?.ids == ["gone/n03", "dust/pm10"])
        let locked = try Self.laid(overlay, over: #"{"nowHidden": "dust/pm25"}"#)
        #expect(locked.configuration.nowHidden?.ids == ["dust/pm25"])
        #expect(locked.configuration.nowFirst?.ids == ["dust/pm25"])
        #expect(locked.problems.map(\.place) == ["nowHidden"])
    }

    @Test func setsIntervalsOfWhatTheFileLeavesOpen() throws {
        let text =
            #"{"devices": {"dust": {"intervalSeconds": 120}, "roof": {"intervalSeconds": 9}}}"#
        let laid = try Self.laid(text)
        #expect(laid.problems.isEmpty)
        let devices = laid.configuration.devices
        #expect(devices[0].sampleInterval(isContinuous: false) == .seconds(120))
        #expect(devices[3].sampleInterval(isContinuous: false) == .seconds(9))
    }

    @Test(arguments: [
        (#"{"title": "other"}"#, "title: is set in roost.json, which counts; change it there"),
        (#"{"levels": "own"}"#, "levels: expected one of sample-levels, eaqi"),
        (#"{"zone": "no zone"}"#, #"zone: expected a zone such as Europe/Berlin, found "no zone""#),
        (#"{"ziel": "x"}"#, "ziel: unknown key"),
        (#"{"stations": "on"}"#, "stations: expected"),
        (#"{"nowFirst": "pm25"}"#, "nowFirst: expected up to 128 channels as dust/pm25"),
        (#"{"nowHidden": ["dust/pm25"]}"#, "nowHidden: expected a text, found an array of 1"),
        (#"{"tiles": "http://a"}"#, "tiles: expected an address such as https://tile"),
        (#"{"devices": []}"#, "devices: expected an object, found an array of 0"),
        (#"{"devices": {"a b": {}}}"#, "devices.a b: expected 1 to 64 letters"),
        (
            #"{"devices": {"slow": {"intervalSeconds": 120}}}"#,
            "devices.slow.intervalSeconds: is set in roost.json"
        ),
        (
            #"{"devices": {"dust": {"intervalSeconds": 5}}}"#,
            "devices.dust.intervalSeconds: expected a number 60…86400, found 5"
        ),
        (
            #"{"devices": {"door": {"intervalSeconds": 60}}}"#,
            "devices.door.intervalSeconds: it measures no values at intervals"
        ),
        (
            #"{"devices": {"roof": {"type": "milano-board", "address": "http://10.0.0.2/"}}}"#,
            "devices.roof: roost.json has a device of this name, which counts"
        ),
        (
            #"{"devices": {"b": {"type": "milano-board", "address": "http://10.0.0.1/"}}}"#,
            "devices.b.address: is the address of roof too"
        ),
        (
            #"{"devices": {"b": {"type": "milano-board", "address": "http://8.8.8.8/"}}}"#,
            "devices.b.address: 8.8.8.8 is not on the local network"
        ),
        (
            #"{"devices": {"b": {"type": "milano-board", "address": "http://169.254.169.254/"}}}"#,
            "devices.b.address: is an address of this computer or of no network"
        ),
        (
            #"{"devices": {"b": {"type": "sds011", "address": "http://10.0.0.2/"}}}"#,
            "devices.b.type: expected one of button, generic-http-line, hc-sr501, led, "
                + #"milano-board, traffic-light, found "sds011""#
        ),
        (
            #"{"devices": {"control": {"type": "milano-board", "address": "http://10.0.0.2/"}}}"#,
            "devices.control.name: control is the name of a part of the station"
        ),
        (#"{"devices": {"dust": {"recrod": true}}}"#, "devices.dust.recrod: unknown key"),
        (
            #"{"devices": {"b": {"type": "led", "line": "GPIO17"}}}"#,
            "devices.b.line: is in use by door; choose a free pin"
        ),
        (
            #"{"devices": {"b": {"type": "pir", "line": 17}}}"#,
            "devices.b.line: is in use by door; choose a free pin"
        ),
        (#"{"devices": {"b": {"type": "button"}}}"#, "devices.b.line: is missing"),
        (
            #"{"devices": {"b": {"type": "traffic-light"}}}"#,
            "devices.b.name: a traffic light has the name lights"
        ),
        (
            #"{"devices": {"lights": {"type": "traffic-light", "red": "GPIO17"}}}"#,
            "devices.lights.red: is in use by door"
        ),
        (
            #"{"devices": {"lights": {"type": "traffic-light", "red": "GPIO10"}}}"#,
            "devices.lights.yellow: line GPIO10 is that of red too"
        ),
        (
            #"{"devices": {"lights": {"type": "traffic-light", "output": "/etc/passwd"}}}"#,
            "devices.lights.output: belongs in the configuration file"
        ),
    ])
    func leavesOutWhatIsWrongAndNamesIt(overlay: String, words: String) throws {
        let laid = try Self.laid(overlay)
        #expect(laid.problems.count == 1)
        #expect(laid.problems.first?.description.hasPrefix(words) == true, "\(laid.problems)")
        let names = ["dust", "slow", "door", "roof"]
        #expect(laid.configuration.devices.map(\.name) == names, "the rest counts")
    }

    @Test func addsPartsOnPins() throws {
        let overlay = """
            {"devices": {"bell": {"type": "button", "line": 27, "longPressSeconds": 2},
                         "lamp": {"type": "led", "line": "GPIO22", "shows": "motion"},
                         "lights": {"type": "traffic-light"},
                         "way": {"type": "hc-sr501", "line": "GPIO23", "title": "Way"}}}
            """
        let laid = try Self.laid(overlay)
        #expect(laid.problems.isEmpty)
        let types = laid.configuration.devices.dropFirst(4).map(\.type)
        #expect(types == ["button", "led", "pir"])
        #expect(laid.configuration.own == ["bell", "lamp", "lights", "way"])
        let lines = laid.configuration.lights?.usedLines.map(\.line.description)
        #expect(lines == ["GPIO9", "GPIO10", "GPIO11"])
        let again = try Self.laid(overlay, over: #"{"lights": {}}"#)
        #expect(again.problems.map(\.place) == ["devices.lights"])
    }

    @Test(arguments: [
        ("Klasse 3b", true), ("教室", true), (String(repeating: "é", count: 64), true),
        (String(repeating: "é", count: 65), false), ("", false), (" a", false), ("a\nb", false),
        ("a\u{202E}b", false), ("a\u{1B}[31mb", false),
    ])
    func aTitleIsOneLineOfText(title: String, isGood: Bool) throws {
        let overlay = StationOverlay(["title": .string(title)])
        let laid = OverlaidConfiguration(
            try StationConfiguration.read(Array("{}".utf8), file: "roost.json"),
            overlay,
            catalog: .shipped
        )
        #expect(laid.problems.isEmpty == isGood)
        #expect(laid.configuration.title == (isGood ? title : nil))
        #expect(laid.configuration.name == "roost", "programs go on with their name")
    }

    @Test func theFirstVersionsNameIsATitle() throws {
        let laid = try Self.laid(#"{"name": "court"}"#, over: "{}")
        #expect(laid.problems.isEmpty && laid.configuration.title == "court")
    }

    /// The image says what counts until somebody chooses; that locks nothing.
    @Test func aDefaultOfTheFileCountsUntilTheOwnerChooses() throws {
        let file = #"{"defaults": {"levels": "eaqi"}}"#
        #expect(try Self.laid("{}", over: file).configuration.levels.name == "eaqi")
        let laid = try Self.laid(#"{"levels": "pm25 10 20"}"#, over: file)
        #expect(laid.problems.isEmpty && laid.configuration.levels.name == "pm25 10 20")
    }

    @Test func theLoopbackNeedsAWordOfTheFile() throws {
        let overlay =
            #"{"devices": {"b": {"type": "milano-board", "address": "http://127.0.0.1:81/"}}}"#
        #expect(try Self.laid(overlay).problems.isEmpty)
        let laid = try Self.laid(overlay, over: #"{"name": "test"}"#)
        #expect(laid.problems.first?.place == "devices.b.address")
        #expect(laid.configuration.devices.isEmpty)
    }

    @Test func aStationHasNoMoreDevicesThanItsLimit() throws {
        let devices = (0..<40).map { number in
            #""b\#(number)": {"type": "milano-board", "address": "http://10.0.1.\#(number)/"}"#
        }
        let laid = try Self.laid(#"{"devices": {\#(devices.joined(separator: ","))}}"#)
        #expect(laid.configuration.devices.count == StationConfiguration.deviceLimit)
        #expect(laid.problems.count == 12)
    }

    @Test func reachIsOneOfTwoWords() {
        let error = #expect(throws: ConfigurationError.self) {
            try StationConfiguration.read(Array(#"{"reach": ["internet"]}"#.utf8), file: "f")
        }
        let words = #"f: reach[0]: expected one of linkLocal, loopback, found "internet""#
        #expect(error?.description == words)
    }
}
