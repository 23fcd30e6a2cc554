import ArgumentParser
import ClientSupport
import Core
import Testing

@testable import Store
@testable import StoreQueries
@testable import roost

@Suite struct StoreArgumentTests {
    @Test(arguments: [
        ("2026-11-21", "2026-11-21T00:00:00Z"), ("2026-11-21T07:15:00", "2026-11-21T07:15:00Z"),
        ("2026-11-21T07:15:00+01:00", "2026-11-21T06:15:00Z"),
    ])
    func aMomentIsADateOrATimeWithOrWithoutZone(text: String, expected: String) {
        #expect(TimeArgument(argument: text)?.moments(in: .utc).first.iso8601 == expected)
    }

    @Test(arguments: ["", "yesterday", "2026-13-01", "2026-11-21T25:00:00", "2026-11-2"])
    func whatIsNoMomentIsRefused(text: String) {
        #expect(TimeArgument(argument: text) == nil)
    }

    @Test(arguments: [("Z", 0), ("+01:00", 3_600), ("-05:30", -19_800), ("+0545", 20_700)])
    func aZoneIsAnOffset(text: String, expected: Int) {
        #expect(ZoneArgument(argument: text)?.seconds == expected)
    }

    @Test(arguments: ["", "CET", ".5", "+1", "+25:00"])
    func whatIsNoZoneIsRefused(text: String) {
        #expect(ZoneArgument(argument: text) == nil)
    }

    @Test func aPlanTakesMegabytesOrDaysButNotBoth() throws {
        let days = try StorePlanCommand.parse(["--days", "365"])
        #expect(StoreFigures(days.plan).rawDays >= 365)
        #expect(try StorePlanCommand.parse([]).plan.megabytes == 64)
        #expect(throws: (any Error).self) {
            try StorePlanCommand.parse(["--days", "365", "--megabytes", "64"])
        }
    }

    @Test(arguments: [
        ["--block", "1000"], ["--block", "256"], ["--megabytes", "3"], ["--days", "0"],
        ["--card-gb", "nan"], ["--channels", "17"], ["--interval", "-1s"],
    ])
    func aPlanOutOfRangeIsRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { try StorePlanCommand.parse(arguments) }
    }

    @Test func aRangeIsSaidTheSameEverywhere() throws {
        let words = ["--last", "2h", "--channel", "balcony/pm25"]
        #expect(try ExportCommand.parse(["--format", "csv"] + words).options.channel != nil)
        #expect(try LedgerCommand.parse(words).options.span.last?.seconds == 7_200)
        #expect(try ReadingsCommand.parse(words).options.span.isOpen == false)
        #expect(try EventsCommand.parse(words + ["--kind", "motion"]).kind == ["motion"])
        for wrong in [["--kind", "motoin"], ["--last", "2h", "--from", "2026-11-01"]] {
            #expect(throws: (any Error).self) { try EventsCommand.parse(wrong) }
        }
        for format in ["periods", "bgeigie"] {
            let rest = ["--output", "x", "--survey", "s", "--channel", "balcony/pm25"]
            #expect(throws: (any Error).self) {
                try ExportCommand.parse(["--format", format] + rest)
            }
        }
    }

    @Test func anExportLeavesOutFlagsByTheirNames() throws {
        let csv = ["--format", "csv", "--without"]
        _ = try ExportCommand.parse(csv + ["humid,jump", "--without", "ceiling"])
        for wrong in ["wet", "", "humid,"] {
            #expect(throws: (any Error).self, "\(wrong)") { try ExportCommand.parse(csv + [wrong]) }
        }
        #expect(throws: (any Error).self) {
            try ExportCommand.parse(
                ["--format", "bgeigie", "--survey", "ride", "--without", "humid"]
            )
        }
    }

    @Test func aRangeHasToBeginBeforeItEnds() throws {
        let from = ["--from", "2026-11-02"]
        let command = try LedgerCommand.parse(from + ["--to", "2026-11-03"])
        let day = command.options.span.time.range
        // In the zone of this machine, whichever that is.
        #expect(day.from != nil && day.from == TimeArgument(argument: "2026-11-02")?.wall)
        #expect(day.to != nil && day.to == TimeArgument(argument: "2026-11-03")?.wall)
        #expect(throws: (any Error).self) {
            try LedgerCommand.parse(from + ["--to", "2026-11-02"])
        }
    }

    @Test func periodsNeedAFolderAndAnImportOfThemASource() {
        #expect(throws: (any Error).self) { try ExportCommand.parse(["--format", "periods"]) }
        #expect(throws: Never.self) { try ExportCommand.parse(["--format", "csv"]) }
        #expect(throws: (any Error).self) { try ImportCommand.parse(["a.csv", "--as", "periods"]) }
    }

    @Test func aReplaySettlesAfterABlockAtLeast() throws {
        let words = ["day.u16", "--into", "/dev/loop7"]
        #expect(try StoreReplayCommand.parse(words).settle == nil)
        #expect(try StoreReplayCommand.parse(words + ["--settle", "6"]).settle == 6)
        #expect(throws: (any Error).self) {
            try StoreReplayCommand.parse(words + ["--settle", "0"])
        }
    }
}
