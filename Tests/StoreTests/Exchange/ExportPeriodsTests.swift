import Core
import Testing

@testable import Store

@Suite struct ExportPeriodsTests {
    @Test func filesAreByteForByteWhatPythonWrites() throws {
        var folders = MemoryFolders()
        var source = SequenceSource(PeriodSeries(count: 130))
        var export = ExportPeriods()
        let progress = try export.export(&source, to: &folders)
        let names = [
            "hourly/Wed Feb 28 23:59:00 2024.csv", "hourly/Thu Feb 29 00:59:00 2024.csv",
            "hourly/Thu Feb 29 01:59:00 2024.csv", "daily/Wed Feb 28 23:59:00 2024.csv",
        ]
        for name in names {
            #expect(try folders.files[name] == ExportFixture.bytes("Periods/\(name)"))
        }
        #expect(folders.counts == ["hourly": 3, "daily": 1, "weekly": 1, "monthly": 1])
        #expect(folders.open.isEmpty)
        #expect(progress.files == 6)
        #expect(progress.samples == 130)
        #expect(progress.bytes == folders.files.values.reduce(0) { $0 + $1.count })
    }

    @Test func aMonthAndMoreHashesToWhatPythonWrites() throws {
        var folders = MemoryFolders(keepsFiles: false)
        var source = SequenceSource(PeriodSeries(count: 44_000))
        var export = ExportPeriods()
        _ = try export.export(&source, to: &folders)
        for line in try ExportFixture.lines("Periods/long.txt") {
            let words = line.split(separator: " ")
            let folder = String(words[0])
            #expect(folders.counts[folder] == Int(words[1]))
            #expect(folders.hashes[folder] == UInt64(words[2], radix: 16))
        }
        #expect(folders.largestWrite < 17_000)
    }

    @Test func floatsArePrintedAsPythonPrintsThem() throws {
        let lines = try ExportFixture.lines("Periods/floats.txt")
        #expect(lines.count == 22)
        for line in lines {
            let words = line.split(separator: " ")
            let value = try #require(Double(String(words[0])))
            #expect(CSVWriter.pythonWords(value) == words[1])
        }
    }

    @Test func whatTheFormatHasNoPlaceForIsSkippedAndCounted() throws {
        let now = WallTime(seconds: 1_700_000_000)
        let samples = [
            DatedSample(at: now, [.noData(.unplugged), .noData(.unplugged)]),
            DatedSample(at: now, [.value(1.5), .noData(.stuck)]),
            DatedSample(at: nil, [.value(1.5), .value(2)]),
            DatedSample(at: now, [.value(1.5), .value(2)]),
        ]
        var folders = MemoryFolders()
        var source = SequenceSource(samples)
        var export = ExportPeriods(utcOffset: { _ in 3_600 })
        let progress = try export.export(&source, to: &folders)
        #expect(progress.skipped == 3)
        #expect(progress.rows == 2)
        let text = "PM2.5,1.5,Tue Nov 14 23:13:20 2023\r\nPM10,2.0,Tue Nov 14 23:13:20 2023\r\n"
        #expect(folders.files["hourly/Tue Nov 14 23:13:20 2023.csv"] == Array(text.utf8))
    }

    /// The row *files of periods* of `docs/reference/flags.md`.
    @Test(arguments: Quality.everyName)
    func whatCannotBeHasNoRow(_ name: String) throws {
        let flag = try #require(Quality(named: name))
        let isOmitted = flag == .outOfRange
        let now = WallTime(seconds: 1_700_000_000)
        let samples: [DatedSample] = [
            DatedSample(at: now, [.value(4369.1, flag), .value(889.6)]),
            DatedSample(at: now, [.value(1.5), .value(2)]),
        ]
        var folders = MemoryFolders()
        var source = SequenceSource(samples)
        var export = ExportPeriods()
        let progress = try export.export(&source, to: &folders)
        #expect(progress.skipped == (isOmitted ? 1 : 0))
        let text = folders.files.values.map { String(decoding: $0, as: UTF8.self) }.joined()
        #expect(text.contains("4369.1") != isOmitted && text.contains("PM2.5,1.5"))
    }

    /// A zone's clocks go back between two measurements, and each has the time of its moment.
    @Test func timesFollowAChangeOfClocks() throws {
        let change = 1_700_000_000
        let samples = [change - 60, change].map { second in
            DatedSample(at: WallTime(seconds: second), [.value(1.5), .value(2)])
        }
        var folders = MemoryFolders()
        var source = SequenceSource(samples)
        var export = ExportPeriods(utcOffset: { $0 < change ? 7_200 : 3_600 })
        _ = try export.export(&source, to: &folders)
        let file = folders.files["hourly/Wed Nov 15 00:12:20 2023.csv"]
        let text = file.map { String(decoding: $0, as: UTF8.self) } ?? ""
        #expect(text.contains("PM2.5,1.5,Wed Nov 15 00:12:20 2023"))
        #expect(text.contains("PM2.5,1.5,Tue Nov 14 23:13:20 2023"))
    }

    @Test func filesOfOneSecondHaveNamesOfTheirOwn() throws {
        let now = WallTime(seconds: 1_700_000_000)
        let samples = Array(repeating: DatedSample(at: now, [.value(1), .value(2)]), count: 3)
        var folders = MemoryFolders()
        var source = SequenceSource(samples)
        var export = ExportPeriods(periods: [ExportPeriods.Period(folder: "one", count: 1)])
        _ = try export.export(&source, to: &folders)
        let names = ["", " 2", " 3"].map { "one/Tue Nov 14 22:13:20 2023\($0).csv" }
        #expect(Set(folders.files.keys) == Set(names))
    }

    @Test func exportingNothingMakesNoFile() throws {
        var folders = MemoryFolders()
        var source = SequenceSource([DatedSample]())
        var export = ExportPeriods()
        #expect(try export.export(&source, to: &folders) == ExportProgress())
        #expect(folders.counts.isEmpty)
    }
}
