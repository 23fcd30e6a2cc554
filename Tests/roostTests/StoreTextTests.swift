import Core
import Testing

@testable import Store
@testable import roost

@Suite struct StoreTextTests {
    @Test(arguments: [
        (0.0, "0 B"), (999, "999 B"), (1_000, "1.00 KB"), (66_900_000, "66.9 MB"),
        (16e9, "16.0 GB"), (5e16, "50000 TB"),
    ])
    func bytesHaveAUnitThatFits(count: Double, expected: String) {
        #expect(StoreText.bytes(count) == expected)
    }

    @Test(arguments: [
        (12.34, "12.3 days"), (799, "799.0 days"), (3_652.5, "10.0 years"),
        (Double.infinity, "over 1000 years"),
    ])
    func longTimesAreYears(days: Double, expected: String) {
        #expect(StoreText.span(days: days) == expected)
    }

    @Test func aPlanSaysWhatItHoldsAndWhatItCosts() {
        let lines = StoreText.plan(StorePlan(.megabytes(64)))
        let text = lines.joined(separator: "\n")
        for words in ["64 MiB", "raw samples reach back", "B a sample", "the card lasts"] {
            #expect(text.contains(words))
        }
        #expect(lines.allSatisfy { $0.count <= 100 })
    }

    @Test func aSeriesIsTwoLittleEndianNumbersARow() {
        let rows = SeriesFile.rows([5, 0, 7, 1, 255, 255, 0, 0])
        #expect(rows.map(\.0) == [5, 65_535])
        #expect(rows.map(\.1) == [263, 0])
    }

    @Test func aDevicesCounterIsItsFifthSeventhAndSixteenthField() {
        let text = "  12 0 96 3  330 9 1256 41 0 7 45 0 0 0 0 196 1\n"
        let found = DeviceCounter.Count(bytes: 643_072, writes: 330, flushes: 196)
        #expect(DeviceCounter.count(text) == found)
        let old = DeviceCounter.Count(bytes: 643_072, writes: 330)
        #expect(DeviceCounter.count("  12 0 96 3  330 9 1256 41 0 7 45") == old)
        #expect(DeviceCounter.count("1 2 3") == nil)
        #expect(DeviceCounter.count("") == nil)
    }

    @Test func anImportedSampleIsOneLineOfJSON() {
        let sample = ImportedSample(
            source: "my \"sensor\"",
            wall: WallTime(seconds: 1_767_225_600),
            values: [.init(.pm25, FixedPoint(-5, decimals: 1))]
        )
        let expected =
            #"{"time":"2026-01-01T00:00:00.0Z","source":"my \"sensor\"","#
            + #""channels":{"pm25":{"value":-0.5,"unit":"µg/m³"}}}"#
        #expect(ImportText.line(sample) == expected)
    }

    @Test func aReplayDividesWhatReachedTheDeviceByItsRows() {
        var report = StoreReplayReport()
        #expect(report.perRow(100) == 0)
        (report.rows, report.deviceBytes) = (86_400, 643_072)
        (report.deviceWrites, report.deviceFlushes) = (330, 150)
        #expect(report.lines.contains { $0.contains("643072 B  (7.44 B a row)") })
        #expect(report.lines.contains { $0.contains("330, 150") })
    }

    @Test func aCheckKeepsTheFirstFindingsAndCountsTheRest() {
        var report = StoreCheckReport()
        #expect(report.lines.last == "sound")
        for number in 0...StoreCheckReport.findingsMax { report.find("part \(number)") }
        #expect(report.findings.count == StoreCheckReport.findingsMax)
        #expect(report.omittedFindings == 1)
        #expect(report.lines.last == "damaged: \(StoreCheckReport.findingsMax + 1)")
    }
}
