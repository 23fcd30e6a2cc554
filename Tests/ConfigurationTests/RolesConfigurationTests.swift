import Configuration
import Core
import Profiles
import Testing

@testable import Devices
@testable import HardwareIO

@Suite struct RolesConfigurationTests {
    private static func read(
        _ devices: String,
        more: String = "",
        model: String? = nil
    ) -> Result<StationConfiguration, ConfigurationError> {
        Result { () throws(ConfigurationError) in
            try StationConfiguration.read(
                Array(#"{"devices": [\#(devices)]\#(more)}"#.utf8),
                file: "roost.json",
                board: ProfileCatalog.shipped.board(model: model)
            )
        }
    }

    private static func problems(_ devices: String, more: String = "", model: String? = nil)
        -> [String]
    {
        guard case .failure(let error) = read(devices, more: more, model: model) else { return [] }
        return error.problems.map(\.description)
    }

    private static let pi4 = "Raspberry Pi 4 Model B Rev 1.4"

    @Test(arguments: [
        (#"{"name": "b", "type": "button"}"#, "devices[0].line: is missing"),
        (
            #"{"name": "b", "type": "button", "line": "GPIO27", "longPressSeconds": 0}"#,
            "devices[0].longPressSeconds: expected a number 0.1…60, found 0"
        ),
        (
            #"{"name": "b", "type": "button", "line": "GPIO27", "claims": 1}"#,
            "devices[0].claims: expected true or false, found 1"
        ),
        (
            #"{"name": "b", "type": "led", "line": "GPIO22", "shows": "levels"}"#,
            "devices[0].shows: expected one of station, motion, level, camera, found \"levels\"; "
                + "did you mean level?"
        ),
        (
            #"{"name": "b", "type": "led", "line": "GPIO22", "shows": "motion", "follows": "x"}"#,
            "devices[0].follows: no device is named x"
        ),
        (
            #"{"name": "b", "type": "led", "line": "GPIO22", "shows": "motion", "follows": "b"}"#,
            "devices[0].follows: b sees no motion"
        ),
        (
            #"{"name": "b", "type": "led", "line": "GPIO22", "shows": "level", "follows": "b"}"#,
            "devices[0].follows: b measures no pm25, so it has no level"
        ),
        (
            #"{"name":"a","type":"led","line":"GPIO22"},{"name":"b","type":"pir","line":"GPIO22"}"#,
            "devices[1].line: is devices[0].line too"
        ),
    ])
    func saysWhatIsWrongWithARole(devices: String, problem: String) {
        #expect(Self.problems(devices) == [problem])
    }

    @Test func aLampMayFollowWhatDetectionFinds() {
        let lamp = #"{"name":"b","type":"led","line":"GPIO22","shows":"level","follows":"x"}"#
        let problem = "devices[0].follows: no device is named x"
        #expect(Self.problems(lamp, more: #", "lights": {"follows": "x"}"#).isEmpty)
        #expect(Self.problems(lamp, more: #", "detect": false"#) == [problem])
    }

    @Test func theProfileGivesWhatTheConfigurationDoesNot() throws {
        let devices = """
            {"name": "bell", "type": "button", "line": "GPIO27", "doublePressSeconds": 0.4},
            {"name": "door", "type": "hc-sr501", "line": "GPIO17", "blockSeconds": 9},
            {"name": "alive", "type": "led", "line": "GPIO22"}
            """
        let found = try Self.read(devices).get().devices
        guard case .button(let bell) = found[0].kind, case .pir(let door) = found[1].kind,
            case .led(let alive) = found[2].kind
        else {
            Issue.record("\(found)")
            return
        }
        #expect(bell.isActiveLow && bell.bias == .pullUp && bell.longPress == .seconds(1))
        #expect(bell.doublePress == .milliseconds(400) && bell.chipLabel == nil)
        #expect(door.settling == .seconds(60) && door.blockTime == .seconds(9))
        #expect(alive.shows == .station && !alive.settings.isActiveLow)
    }

    @Test func anOwnersProfileGivesOtherDefaults() throws {
        let file = try #require(ShippedProfiles.files.first { $0.path == "shipped/button.json" })
        let text = String(decoding: try file.contents.get(), as: UTF8.self)
        let changed = text.split(separator: "\"activeLow\": true").joined(
            separator: "\"activeLow\": false"
        )
        let overlay = ProfileFile(path: "button.json", bytes: Array(changed.utf8))
        let catalog = ProfileCatalog(overlay: [overlay], reader: .checking)
        #expect(catalog.problems.isEmpty && catalog.notes.count == 1)
        let configuration = try StationConfiguration.read(
            Array(#"{"devices": [{"name": "b", "type": "button", "line": 5}]}"#.utf8),
            file: "f",
            profiles: catalog.profiles
        )
        guard case .button(let bell) = configuration.devices[0].kind else {
            Issue.record("no button")
            return
        }
        #expect(!bell.isActiveLow && bell.line == .offset(5))
    }

    @Test func theBoardGivesItsChipToLinesOfItsHeader() throws {
        let devices = """
            {"name": "a", "type": "pir", "line": "GPIO17"},
            {"name": "b", "type": "button", "line": 27},
            {"name": "c", "type": "led", "line": "EXPANDER_3"},
            {"name": "d", "type": "led", "line": "GPIO22", "chip": "mine"}
            """
        let found = try Self.read(devices, more: #", "lights": {}"#, model: Self.pi4).get()
        #expect(found.board?.id == "raspberry-pi-4")
        #expect(
            found.devices.map(\.location) == [
                "GPIO17 of pinctrl-bcm2711", "line 27 of pinctrl-bcm2711", "EXPANDER_3",
                "GPIO22 of mine",
            ]
        )
        guard case .lines("pinctrl-bcm2711", _, _) = found.lights?.output else {
            Issue.record("\(String(describing: found.lights))")
            return
        }
    }

    @Test func aWatchdogBeyondTheBoardsLimitIsRefused() throws {
        let watchdog = #", "watchdog": {"timeoutSeconds": 30}"#
        #expect(
            Self.problems("", more: watchdog, model: Self.pi4) == [
                "watchdog.timeoutSeconds: the watchdog of Raspberry Pi 4, 400 supports "
                    + "15 s at most, "
                    + "found 30"
            ]
        )
    }
}
