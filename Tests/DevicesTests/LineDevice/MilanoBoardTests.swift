import HardwareIO
import Profiles
import Testing

@testable import Core
@testable import Devices

/// The eleven values of the Milano board; origin of the replies in `Fixtures/ORIGIN.md`.
@Suite struct MilanoBoardTests {
    private static func format() throws -> LineFormat {
        try LineFormat(#require(ProfileCatalog.shipped.profile("milano-board")))
    }

    private static func replies(_ name: String) throws -> [Substring] {
        try Fixture.text("milano/\(name)").split(separator: "\n")
    }

    @Test func readsEveryGoodReply() throws {
        let format = try Self.format()
        let names = format.quantities.map(\.name)
        #expect(
            names == [
                "temperature", "humidity", "pressure", "altitude", "tvocs", "co2", "pm05", "pm1",
                "pm25", "pm4", "pm10",
            ]
        )
        let expected: [[FixedPoint]] = [
            [25.4, 48, 102_700, 122, 585, 3_850, 3.1, 4.2, 6.8, 7.9, 8.4],
            [20, 30, 102_700, 122, 600, 4_000, 1, 2, 3, 4, 5],
            [24.9, 51, 101_325, 118.6, 590, 3_900, 0, 0, 0, 0, 0],
        ]
        let found = try Self.replies("handmade-board-replies.txt").map {
            try format.read(Array($0.utf8)[...]).get()
        }
        #expect(found == expected.map { $0.map { Outcome.value($0) } })
    }

    @Test func refusesEveryBadReply() throws {
        let format = try Self.format()
        let lines = try Self.replies("handmade-board-bad-replies.txt")
        #expect(lines.count == 4)
        for line in lines + [""] {
            #expect(throws: LineFlaw.self, "\(line)") {
                try format.read(Array(line.utf8)[...]).get()
            }
        }
    }

    @Test(arguments: HTTPLineSimulator.Fault.allCases)
    func noFaultOfTheBoardBecomesAValue(fault: HTTPLineSimulator.Fault) throws {
        let profile = try #require(ProfileCatalog.shipped.profile("milano-board"))
        let format = try Self.format()
        var board = try HTTPLineSimulator(profile, seed: 5)
        func isBelieved() -> Bool {
            guard let answer = board.answer("GET"), answer.status == 200 else { return false }
            let line = answer.body.prefix { $0 != 0x0D }
            return (try? format.read(line).get()) != nil
        }
        #expect(isBelieved())
        board.fault = fault
        #expect(!isBelieved())
        board.fault = nil
        #expect(isBelieved() && board.questionCount == 3)
    }

    @Test(arguments: [
        (#""intervalSeconds": 0.5"#, "settings.intervalSeconds: expected a number 1…3600"),
        (#""intervalSeconds": 3601"#, "settings.intervalSeconds: expected a number 1…3600"),
        (#""query": "READ""#, "settings.query: unknown key"),
        (#""absent": [7]"#, "settings.absent: expected an array of different texts"),
        (#""fields": ["temperature"]"#, "settings.fields: the channel humidity is in no field"),
        (#""fields": ["temperature", "humid"]"#, "settings.fields[1]: no channel is named humid"),
    ])
    func checksTheSettingsOfAProfile(setting: String, problem: String) throws {
        let file = try #require(
            ShippedProfiles.files.first { $0.path == "shipped/generic-http-line.json" }
        )
        var text = String(decoding: try file.contents.get(), as: UTF8.self)
        let fields = #""fields": [ "temperature", "humidity" ]"#
        let interval = #""intervalSeconds": 5"#
        let old = setting.hasPrefix(#""fields"#) ? fields : interval
        let index = try #require(text.firstRange(of: old))
        text.replaceSubrange(index, with: setting)
        do throws(ConfigurationError) {
            _ = try ProfileReader.checking.read(Array(text.utf8), file: "generic-http-line.json")
            Issue.record("was accepted")
        } catch {
            #expect(error.problems.contains { $0.description.hasPrefix(problem) }, "\(error)")
        }
    }
}
