import Alerts
import Core
import Devices
import Profiles
import Testing

@testable import Configuration

@Suite struct ExportedConfigurationTests {
    private static func read(_ text: String) throws -> StationConfiguration {
        try StationConfiguration.read(Array(text.utf8), file: "roost.json")
    }

    private static func overlay(_ text: String) throws -> StationOverlay {
        try StationOverlay.read(Array(text.utf8), file: "settings.json")
    }

    /// A file and what the owner set over it, then only the exported file.
    private static func both(
        _ base: String,
        _ own: String
    ) throws -> (
        before: StationConfiguration, after: StationConfiguration, text: String, leftOut: [String]
    ) {
        let (file, overlay) = (try read(base), try overlay(own))
        let exported = try ExportedConfiguration(file, overlay, catalog: .shipped)
        let before = OverlaidConfiguration(file, overlay, catalog: .shipped).configuration
        return (before, try read(exported.text), exported.text, exported.leftOut)
    }

    @Test func theFileSaysAllThatTheOwnerSet() throws {
        let (before, after, text, leftOut) = try Self.both(
            #"{"name": "one", "store": {}, "zone": "Europe/Rome"}"#,
            #"""
            {"title": "Klasse 3b", "position": "46.1, 9.8", "levels": "eaqi", "stations": "find",
             "devices": {
               "board": {"type": "milano-board", "address": "http://192.168.1.20/",
                         "intervalSeconds": 5, "title": "Dach", "record": false},
               "lamp": {"type": "led", "line": "GPIO17", "shows": "level", "follows": "dust"},
               "lights": {"type": "traffic-light"},
               "dust": {"title": "Fenster", "record": false, "intervalSeconds": 600}},
             "alerts": {"rules": {
               "stuffy": {"channel": "*/co2", "when": {"value": {"atLeast": 1500}}},
               "cold": {"channel": "*/temperature", "when": {"value": {"atMost": 5}},
                        "isOn": false},
               "who-24h": {"isOn": false}}}}
            """#
        )
        #expect(leftOut.isEmpty)
        #expect(after.title == before.title && after.position == before.position)
        #expect(after.levels == before.levels && after.findsStations == true)
        #expect(after.zone == "Europe/Rome" && after.setsTitle && after.setsLevels)
        // What a file names may have any address; what an owner adds, one of the network.
        let confined = after.devices.map { device in
            var device = device
            let isInReach = device.confine(to: after.reach)
            #expect(isInReach)
            return device
        }
        #expect(confined == before.devices && after.lights == before.lights)
        #expect(after.titles == ["board": "Dach", "dust": "Fenster"])
        #expect(after.unrecorded == ["board", "dust"] && after.unrecorded == before.unrecorded)
        #expect(after.intervals == ["dust": .seconds(600)])
        let (old, new) = (before.alerts.listed, after.alerts.listed)
        #expect(Set(new.filter(\.isOn).map(\.rule)) == Set(old.filter(\.isOn).map(\.rule)))
        let off = new.filter { !$0.isOn }.map(\.rule.id)
        #expect(Set(off) == Set(old.filter { !$0.isOn }.map(\.rule.id)))
        #expect(off.contains("who-24h") && off.contains("cold"))
        #expect(new.first { $0.rule.id == "who-24h" }?.origin == .file)
        #expect(text.hasPrefix("{\n") && text.hasSuffix("}\n"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }

    @Test func theSameIsExportedAgain() throws {
        let own = #"""
            {"devices": {"dust": {"title": "A"}}, "alerts": {"rules": {"who-24h": {"isOn": false}}}}
            """#
        let (_, after, text, _) = try Self.both(#"{"store": {}}"#, own)
        let again = try ExportedConfiguration(after, StationOverlay(), catalog: .shipped)
        #expect(again.text == text)
    }

    @Test func whatIsNotInUseIsLeftOutAndNamed() throws {
        let (_, after, text, leftOut) = try Self.both(
            #"{"title": "Mine", "store": {}}"#,
            #"""
            {"title": "Other", "unknown": 1,
             "devices": {"x": {"type": "no-such", "address": "http://192.168.1.2/"}},
             "alerts": {"rules": {"gone": {"isOn": true}}}}
            """#
        )
        #expect(after.title == "Mine" && !text.contains("no-such") && !text.contains("gone"))
        #expect(leftOut.count == 4 && leftOut.contains { $0.hasPrefix("devices.x") })
    }

    @Test func aPointInANameIsNoEndOfIt() throws {
        let (_, after, text, leftOut) = try Self.both(
            #"{"store": {}, "deviceSettings": {"board.2": {"title": "A"}}}"#,
            #"""
            {"devices": {
               "board": {"type": "milano-board", "address": "http://192.168.1.20/",
                         "intervalSeconds": 5},
               "board.2": {"title": "B", "record": false},
               "lamp.2": {"type": "no-such", "address": "http://192.168.1.2/"},
               "lamp": {"title": "Lampe"}},
             "alerts": {"rules": {
               "my.rule": {"isOn": true},
               "my": {"channel": "*/co2", "when": {"value": {"atLeast": 1500}}}}}}
            """#
        )
        #expect(after.devices.map(\.name) == ["board"])
        #expect(after.titles == ["board.2": "A", "lamp": "Lampe"])
        #expect(after.unrecorded == ["board.2"])
        #expect(after.alerts.listed.contains { $0.rule.id == "my" })
        #expect(!text.contains("no-such") && !text.contains("my.rule"))
        let places = ["alerts.rules.my.rule", "devices.board.2.title", "devices.lamp.2.type"]
        #expect(leftOut.count == 3)
        #expect(places.allSatisfy { place in leftOut.contains { $0.hasPrefix("\(place): ") } })
    }

    @Test func anUnknownKeyOfTheAlertsKeepsTheRules() throws {
        let (_, after, _, leftOut) = try Self.both(
            #"{"store": {}}"#,
            #"{"alerts": {"sound": 1, "rules": {"who-24h": {"isOn": false}}}}"#
        )
        #expect(leftOut.count == 1)
        #expect(after.alerts.listed.contains { $0.rule.id == "who-24h" && !$0.isOn })
    }

    @Test func theFileLocksWhatItSaysOfDevicesAndRules() throws {
        let file = try Self.read(
            #"""
            {"deviceSettings": {"dust": {"title": "A", "record": true}},
             "alerts": {"changes": {"who-24h": {"isOn": false}}}}
            """#
        )
        let own = try Self.overlay(
            #"""
            {"devices": {"dust": {"title": "B", "record": false}},
             "alerts": {"rules": {"who-24h": {"isOn": true}}}}
            """#
        )
        let laid = OverlaidConfiguration(file, own, catalog: .shipped)
        #expect(laid.configuration.titles == ["dust": "A"])
        #expect(laid.configuration.unrecorded.isEmpty)
        #expect(laid.configuration.alerts.isFixed("who-24h"))
        let places = laid.problems.map(\.place).sorted()
        #expect(places == ["alerts.rules.who-24h", "devices.dust.record", "devices.dust.title"])
    }

    @Test(arguments: [
        (#"{"deviceSettings": {"dust": {"titel": "A"}}}"#, "deviceSettings.dust.titel"),
        (#"{"deviceSettings": {"dust": {"intervalSeconds": 5}}}"#, "deviceSettings.dust"),
        (#"{"deviceSettings": []}"#, "deviceSettings"),
        (#"{"alerts": {"changes": {"no-such": {"isOn": false}}}}"#, "alerts.changes.no-such"),
        (#"{"alerts": {"changes": {"who-24h": {}}}}"#, "alerts.changes.who-24h"),
    ])
    func aMistakeIsNamedByItsPlace(_ text: String, _ place: String) throws {
        let error = try #require(throws: ConfigurationError.self) { try Self.read(text) }
        #expect(error.problems.contains { $0.place.hasPrefix(place) }, "\(error)")
    }

    @Test func shortValuesStandOnOneLine() {
        let value = JSONValue.object(["a": .array([.number(1), .string("x")]), "b": .object([:])])
        #expect(value.lines == "{\n  \"a\": [1, \"x\"],\n  \"b\": {}\n}")
    }
}
