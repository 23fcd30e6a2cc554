import Core
import FoundationEssentials
import Profiles
import Testing

@testable import Configuration
@testable import Devices
@testable import HardwareIO

@Suite struct StationConfigurationTests {
    private func read(_ text: String) throws -> StationConfiguration {
        try StationConfiguration.read(Array(text.utf8), file: "roost.json")
    }

    private func problems(_ text: String) -> [String] {
        do {
            _ = try read(text)
            return []
        } catch let error as ConfigurationError {
            return error.problems.map(\.description)
        } catch {
            return ["\(error)"]
        }
    }

    private static let project = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test func theInstalledOneIsWhatIsPluggedInAndAStore() throws {
        let file = Self.project.appending(path: "packaging/roost.json")
        let configuration = try read(String(decoding: Data(contentsOf: file), as: UTF8.self))
        #expect(configuration.devices.isEmpty && configuration.detects)
        #expect(configuration.store?.folder == StoreConfiguration.defaultFolder)
    }

    @Test func theJournalIsAFileAPartitionOrWhatIsThere() throws {
        func journal(_ text: String) throws -> JournalSetting? {
            try read(#"{"store": {\#(text)}}"#).store?.journal
        }
        #expect(try journal("") == .folder)
        #expect(try journal(#""journal": "auto""#) == .auto)
        #expect(try journal(#""journal": "/dev/mmcblk0p3""#) == .path("/dev/mmcblk0p3"))
        #expect(problems(#"{"store": {"journal": "mmcblk0p3"}}"#).count == 1)
    }

    @Test(arguments: ["balcony", "window"])
    func theExamplesAreRight(_ name: String) throws {
        let file = Self.project.appending(path: "docs/examples/\(name).json")
        let configuration = try read(String(decoding: Data(contentsOf: file), as: UTF8.self))
        #expect(configuration.devices.count > 1)
    }

    @Test func readsEveryKey() throws {
        let text = """
            {"name": "balcony", "mode": "live", "socket": "/tmp/s",
             "devices": [
               {"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0", "periodSeconds": 600,
                "warmUpSeconds": 30, "windowSeconds": 10.5},
               {"name": "door", "type": "pir", "chip": "pinctrl-bcm2711", "line": 17,
                "settleSeconds": 0, "blockSeconds": 2}],
             "lights": {"chip": "c", "red": "A", "yellow": "B", "green": 3, "activeLow": true,
                        "follows": "dust"},
             "watchdog": {"path": "/dev/watchdog1", "timeoutSeconds": 10}}
            """
        let configuration = try read(text)
        #expect(configuration.name == "balcony")
        #expect(configuration.mode == .live)
        #expect(configuration.socket == "/tmp/s")
        var door = PIRSettings(line: .offset(17), chipLabel: "pinctrl-bcm2711")
        (door.settling, door.blockTime) = (.zero, .seconds(2))
        guard case .sensor(let dust) = configuration.devices[0].kind else {
            Issue.record("dust is not a sensor")
            return
        }
        #expect(dust.type == "sds011" && dust.profile.driver == "sds011")
        #expect(dust.port == "/dev/ttyUSB0" && dust.id == nil)
        #expect(dust.period == .seconds(600) && dust.warmUp == .seconds(30))
        #expect(dust.window == .milliseconds(10_500))
        #expect(configuration.devices[1].kind == .pir(door))
        let lines: [LineRequest.Line] = [.name("A"), .name("B"), .offset(3)]
        let output = LightsConfiguration.Output.lines(chip: "c", lines, isActiveLow: true)
        #expect(configuration.lights == LightsConfiguration(output: output, follows: "dust"))
        let watchdog = WatchdogConfiguration(path: "/dev/watchdog1", timeout: .seconds(10))
        #expect(configuration.watchdog == watchdog)
    }

    @Test func anEmptyObjectIsAStationWithoutDevices() throws {
        let configuration = try read("{}")
        #expect(configuration.name == "roost")
        #expect(configuration.mode == .normal)
        #expect(configuration.devices.isEmpty && configuration.lights == nil)
    }

    @Test(arguments: ["normal", "months"]) func normalIsAlsoReadByItsOldName(name: String) throws {
        #expect(try read(#"{"mode": "\#(name)"}"#).mode == .normal)
    }

    @Test(arguments: [
        (#"{"nam": "x"}"#, "nam: unknown key; did you mean name?"),
        (#"{"name": 3}"#, "name: expected a text, found 3"),
        (#"{"name": "a b"}"#, #"name: expected \#(PlainName.form), found "a b""#),
        (#"{"name": ".."}"#, #"name: expected \#(PlainName.form), found "..""#),
        (#"{"name": "-x"}"#, #"name: expected \#(PlainName.form), found "-x""#),
        (#"{"mode": "survey"}"#, #"mode: expected one of normal, live, found "survey""#),
        (#"{"devices": {}}"#, "devices: expected an array, found an object"),
        (#"{"devices": [7]}"#, "devices[0]: expected an object, found 7"),
        (#"{"devices": [{"name": "d", "type": "sds011"}]}"#, "devices[0].port: is missing"),
        (#"{"devices": [{"type": "sds011", "port": "/p"}]}"#, "devices[0].name: is missing"),
        (
            #"{"devices": [{"name": "d", "type": "sds011", "port": "/p", "periodSeconds": 5}]}"#,
            "devices[0].periodSeconds: expected a number 60…86400, found 5"
        ),
        (
            #"{"devices": [{"name": "d", "type": "pir", "line": 1.5}]}"#,
            "devices[0].line: expected a line's name or its offset 0…1023, found 1.5"
        ),
        (
            #"{"devices": [{"name": "d", "type": "sds011", "port": "ttyUSB0"}]}"#,
            #"devices[0].port: expected an absolute path of at most 4096 bytes, found "ttyUSB0""#
        ),
        (
            #"{"devices": [{"name": "d", "type": "sds011", "port": "gpsd://127.0.0.1"}]}"#,
            "devices[0].port: a gpsd gives positions alone: use it with nmea-receiver"
        ),
        (
            #"{"devices": [{"name": "d", "type": "nmea-receiver", "port": "gpsd://8.8.8.8"}]}"#,
            "devices[0].port: expected gpsd://127.0.0.1:2947, an address of the local network in "
                + #"numbers, found "gpsd://8.8.8.8""#
        ),
        (
            #"{"devices": [{"name": "lights", "type": "sds011", "port": "/p"}]}"#,
            "devices[0].name: lights is the name of a part of the station; choose another"
        ),
        (
            #"{"detect": false, "lights": {"follows": "nobody"}}"#,
            "lights.follows: no device is named nobody"
        ),
        (#"{"sameAir": ["a"]}"#, "sameAir: expected two names or more, found one"),
        (#"{"sameAir": ["a", "a"]}"#, "sameAir[1]: a is there twice"),
        (#"{"sameAir": ["a", 1]}"#, "sameAir[1]: expected a device's name, found 1"),
        (#"{"lights": {"red": "GPIO10"}}"#, "lights.yellow: is lights.red too"),
        (
            #"{"watchdog": {"timeoutSeconds": 60}}"#,
            "watchdog.timeoutSeconds: the watchdog of most boards supports 15 s at most, found 60"
        ),
        (
            #"{"battery": {"powerOffPercent": 30, "lowPercent": 30}}"#,
            "battery.powerOffPercent: expected less than lowPercent, 30, so that an alert comes "
                + "before; found 30"
        ),
        (
            #"{"battery": {"powerOffPercent": 0}}"#,
            "battery.powerOffPercent: expected a number 1…90, found 0"
        ),
        ("[]", "expected an object, found an array of 0"),
        ("{\n  \"name\": tru }", "not JSON: unexpected space in line 2, column 14"),
        (
            #"{"name": "a", "name": "b"}"#,
            #"not JSON: key "name" for the second time in line 1, column 15"#
        ),
        ("{\"name\": \"x\"", "not JSON: it ends in the middle (line 1)"),
        ("", "not JSON: it ends in the middle (line 1)"),
    ])
    func namesThePlaceAndTheReason(text: String, problem: String) {
        #expect(problems(text) == [problem])
    }

    @Test func namesEveryKindOfDeviceThatItKnows() throws {
        let problem = try #require(
            problems(#"{"devices": [{"name": "d", "type": "dht22", "pin": 4}]}"#).first
        )
        #expect(problem.hasPrefix("devices[0].type: expected one of "))
        #expect(problem.hasSuffix(#", found "dht22""#))
        for kind in ["pir", "plantower", "sds011"] { #expect(problem.contains(kind)) }
    }

    @Test func saysWhatIsWrongWithTheProfileThatATypeNames() throws {
        let text = #"{"schemaVersion": 1, "id": "my-meter", "kind": "usb-serial"}"#
        let file = ProfileFile(path: "d/my-meter.json", bytes: Array(text.utf8))
        let catalog = ProfileCatalog(overlay: [file], reader: .checking)
        let device = #"{"devices": [{"name": "d", "type": "my-meter", "port": "/p"}]}"#
        let error = #expect(throws: ConfigurationError.self) {
            try StationConfiguration.read(
                Array(device.utf8),
                file: "roost.json",
                profiles: catalog.profiles,
                broken: catalog.broken
            )
        }
        let mistakes = try #require(catalog.problems.first).problems
        #expect(mistakes.count > 2)
        #expect(
            error?.problems.map(\.description)
                == mistakes.map {
                    "devices[0].type: my-meter is not usable, d/my-meter.json: \($0)"
                }
        )
    }

    @Test func readsASensorByItsDriverWithTheDutyOfItsProfile() throws {
        let text = #"{"devices": [{"name": "d", "type": "plantower", "port": "/p", "id": "7"}]}"#
        guard case .sensor(let sensor) = try read(text).devices[0].kind else {
            Issue.record("not a sensor")
            return
        }
        #expect(sensor.id == "7" && sensor.profile.driver == "plantower")
        #expect(sensor.period == .minutes(5) && sensor.warmUp == .seconds(30))
        #expect(sensor.window == .seconds(10))
    }

    @Test(arguments: [
        (#"{"profiles": "/srv/profiles", "name": 3}"#, "/srv/profiles"),
        (#"{"profiles": "here"}"#, nil), (#"{"profiles": 3}"#, nil), ("{}", nil), ("{", nil),
    ])
    func asksForTheFolderOfProfilesBeforeAnythingElse(text: String, folder: String?) {
        #expect(StationConfiguration.profileFolder(in: Array(text.utf8)) == folder)
    }

    @Test func aFolderOfProfilesIsAnAbsolutePath() throws {
        #expect(try read(#"{"profiles": "/srv/p"}"#).profileFolder == "/srv/p")
        #expect(
            problems(#"{"profiles": "here"}"#) == [
                #"profiles: expected an absolute path of at most 4096 bytes, found "here""#
            ]
        )
    }

    @Test(
        arguments: [
            ("{}", 25, nil), (#"{"battery": {}}"#, 25, nil),
            (#"{"battery": {"powerOffPercent": 15}}"#, 25, 15),
            (#"{"battery": {"powerOffPercent": 40}}"#, 45, 40),
            (#"{"battery": {"powerOffPercent": 15, "lowPercent": 50}}"#, 50, 15),
        ] as [(String, Int, Int?)]
    )
    func theBatteryIsLowBeforeTheMachineIsShutDown(_ text: String, _ low: Int, _ off: Int?) throws {
        let wanted = BatteryConfiguration(lowPercent: low, powerOffPercent: off)
        #expect(try read(text).battery == wanted)
    }

    @Test func tellsAllMistakesAtOnce() {
        let found = problems(#"{"name": 1, "mode": 2, "watchdog": {"path": 3}, "extra": 4}"#)
        #expect(found.count == 4)
    }

    @Test func namesDevicesAndPortsThatAreUsedTwice() {
        let text = """
            {"devices": [{"name": "d", "type": "sds011", "port": "/p"},
                         {"name": "d", "type": "sds011", "port": "/p"}]}
            """
        #expect(
            problems(text) == [
                "devices[1].name: is the name of devices[0] too",
                "devices[1].port: is the port of devices[0] too",
            ]
        )
    }

    /// Mutates a good file at random; nothing but a configuration or an error may come of it.
    @Test func survivesMutatedFiles() {
        let seed: UInt64 = 20_261_121
        var generator = SplitMix64(seed: seed)
        let good = Array(
            #"{"devices":[{"name":"d","type":"sds011","port":"/p","periodSeconds":3e2}]}"#
                .utf8
        )
        var accepted = 0
        for _ in 0..<2_000 {
            var text = good
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<text.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: text[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: text.remove(at: index)
                default: text.insert(text[index], at: index)
                }
            }
            do throws(ConfigurationError) {
                _ = try StationConfiguration.read(text, file: "f")
                accepted += 1
            } catch {
                #expect(!error.problems.isEmpty, "seed \(seed): \(text)")
            }
        }
        #expect(accepted > 0 && accepted < 1_000)
    }
}
