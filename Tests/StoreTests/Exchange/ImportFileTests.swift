import Core
import Testing

@testable import Store

@Suite struct ImportFileTests {
    private static let periods = ImportFormat.periods(source: "old-pi", utcOffset: 0)

    @Test(arguments: [
        ("2017-09-02_sds011_sensor_5331.csv", 585, "2017-09-02T00:00:49.0Z", ["1.40", "1.00"]),
        ("2017-09-03_sds011_sensor_5331.csv", 585, "2017-09-03T00:00:04.0Z", ["3.97", "2.30"]),
        ("2017-09-02_dht22_sensor_5332.csv", 585, "2017-09-02T00:00:49.0Z", ["16.90", "68.40"]),
        (
            "2017-09-20_sds011_sensor_5331_short_day.csv", 22, "2017-09-20T12:33:46.0Z",
            ["2.50", "2.10"]
        ),
    ])
    func aDayOfSensorCommunityIsTakenWhole(
        name: String,
        count: Int,
        first: String,
        values: [String]
    ) throws {
        let bytes = try ExportFixture.bytes(name)
        let lineCount = bytes.count { $0 == UInt8(ascii: "\n") } - 1
        let folder = ImportedFiles()
        let report = try folder.load(bytes, as: .sensorCommunity)
        #expect(report.rows == lineCount)
        #expect(report.imported + report.known == lineCount)
        #expect(report.badRows == 0)
        #expect(report.imported == count)
        #expect(folder.samples.first?.wall.iso8601Tenths == first)
        #expect(folder.samples.first?.values.map(\.value.description) == values)
    }

    @Test func p1IsPM10AndP2IsPM25() throws {
        let folder = ImportedFiles()
        let name = "2017-09-02_sds011_sensor_5331.csv"
        _ = try folder.load(try ExportFixture.bytes(name), as: .sensorCommunity)
        #expect(folder.samples[0].values.map(\.quantity.name) == ["pm10", "pm25"])
        #expect(Set(folder.samples.map(\.source)) == ["sensor-community:5331"])
    }

    @Test func aSecondImportOfTheSameAddsNothing() throws {
        let bytes = try ExportFixture.bytes("2017-09-03_sds011_sensor_5331.csv")
        let folder = ImportedFiles()
        let first = try folder.load(bytes, as: .sensorCommunity)
        let second = try folder.load(bytes, as: .sensorCommunity)
        #expect(second.imported == 0)
        #expect(second.known == first.rows)
        #expect(folder.samples.count == first.imported)
    }

    @Test(arguments: [1, 2, 7, 100_000])
    func thePiecesMakeNoDifference(size: Int) throws {
        let bytes = try ExportFixture.bytes("2017-09-20_sds011_sensor_5331_short_day.csv")
        let (whole, parts) = (ImportedFiles(), ImportedFiles())
        _ = try whole.load(bytes, as: .sensorCommunity)
        _ = try parts.load(bytes, as: .sensorCommunity, pieces: size)
        #expect(whole.samples == parts.samples)
    }

    @Test func whatPeriodsWroteComesBack() throws {
        let folder = ImportedFiles()
        var known = 0
        for name in ["hourly/Wed Feb 28 23:59:00 2024.csv", "daily/Wed Feb 28 23:59:00 2024.csv"] {
            let bytes = try ExportFixture.bytes("Periods/\(name)")
            let report = try folder.load(bytes, as: Self.periods)
            #expect(report.badRows == 0)
            known += report.known
        }
        #expect(known == 60)
        let expected = PeriodSeries(count: 130).map { sample in
            ImportedSample(
                source: "old-pi",
                wall: sample.wall ?? WallTime(seconds: 0),
                values: zip(sample.stream.quantities, sample.outcomes).compactMap {
                    quantity,
                    outcome in
                    outcome.value.map { ImportedSample.Value(quantity, $0) }
                }
            )
        }
        #expect(folder.samples == expected)
    }

    @Test func badRowsAreNamedAndTheRestGoesOn() throws {
        let time = "Tue Nov 14 22:13:20 2023"
        let text = """
            PM2.5,1.5,\(time)\r
            PM10,2.5,\(time)\r
            PM1,2.5,\(time)
            PM10,2.5
            PM10,-1,\(time)
            PM10,nan,\(time)
            PM10,2.5,Mon Nov 14 22:13:20 2023
            "PM10,2.5,\(time)

            PM2.5,3,Tue Nov 14 22:14:20 2023
            PM10,\(String(repeating: "9", count: 5_000)),\(time)
            PM2.5,1e-05,Tue Nov 14 22:15:20 2023
            """
        let folder = ImportedFiles()
        let report = try folder.load(Array(text.utf8), as: Self.periods)
        #expect(report.problems.map(\.line) == [3, 4, 5, 6, 7, 8, 11])
        #expect(report.badRows == 7)
        #expect(report.rows == 11)
        #expect(report.imported == 3)
        #expect(folder.samples.map(\.values.count) == [2, 1, 1])
        #expect(folder.samples[2].values[0].value == FixedPoint(1, decimals: 5))
        #expect(report.problems[0].description == "day.csv:3: nothing known is named \"PM1\"")
        #expect(report.problems[2].description == "day.csv:5: no number in range: \"-1\"")
    }

    @Test func onlyRowsOfOneTimeAreOneSample() throws {
        let text = """
            PM2.5,1,Tue Nov 14 22:13:20 2023
            PM10,2,Tue Nov 14 22:14:20 2023
            PM10,3,Tue Nov 14 22:15:20 2023
            PM2.5,4,Tue Nov 14 22:15:20 2023
            PM2.5,5,Tue Nov 14 22:16:20 2023
            PM2.5,6,Tue Nov 14 22:17:20 2023
            """
        let folder = ImportedFiles()
        _ = try folder.load(Array(text.utf8), as: Self.periods)
        let values = folder.samples.map { $0.values.map(\.value.description) }
        #expect(values == [["1"], ["2"], ["3", "4"], ["5"], ["6"]])
    }

    @Test func aFileOfAnotherKindIsNamedAtItsFirstLine() throws {
        let text = "date,value\n2020-01-01,1\n"
        let report = try ImportedFiles().load(Array(text.utf8), as: .sensorCommunity)
        #expect(report.imported == 0)
        #expect(report.badRows == 2)
        #expect(report.problems[0].reason == .missingColumn("sensor_id"))
    }

    @Test func emptyColumnsAreNoValues() throws {
        let text =
            "\u{FEFF}sensor_id;timestamp;P1;P2\r\n1;2017-09-02T00:00:49;;2.1\r\n"
            + "1;2017-09-02T00:01:49;;\r\n"
        let folder = ImportedFiles()
        let report = try folder.load(Array(text.utf8), as: .sensorCommunity)
        #expect(folder.samples.map { $0.values.map(\.quantity.name) } == [["pm25"]])
        #expect(report.problems.map(\.reason) == [.noValue])
    }

    @Test func theListOfProblemsIsBounded() throws {
        let text = String(repeating: "nonsense\n", count: 1_000)
        let report = try ImportedFiles().load(Array(text.utf8), as: Self.periods)
        #expect(report.badRows == 1_000)
        #expect(report.problems.count == ImportReport.problemsMax)
    }

    /// Bytes changed, left out, doubled: no trap, every line counted once, good lines still good.
    @Test(arguments: 0..<40)
    func damagedFilesCostOnlyWhatIsDamaged(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let isDay = seed % 2 == 0
        let name =
            isDay
            ? "2017-09-20_sds011_sensor_5331_short_day.csv"
            : "Periods/hourly/Wed Feb 28 23:59:00 2024.csv"
        var bytes = try ExportFixture.bytes(name)
        let header = isDay ? 84 : 0  // Bytes of the first line, which all others depend on.
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let place = Int.random(in: header..<bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            }
        }
        let folder = ImportedFiles()
        let format = isDay ? ImportFormat.sensorCommunity : Self.periods
        let report = try folder.load(bytes, as: format, pieces: 13)
        #expect(report.badRows <= 16)
        #expect(report.imported == folder.samples.count)
        #expect(report.imported >= (isDay ? 22 : 60) - 16)
    }

    @Test(arguments: 0..<40)
    func anyBytesAreOnlyBadRows(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let alphabet =
            Array("PM2.510,;\"\r\nTue Nov 14 22:13:20 2023e+-TZ\u{FEFF}".utf8) + [0, 255]
        let bytes = (0..<5_000).map { _ in alphabet.randomElement(using: &random) ?? 0 }
        for format in [Self.periods, .sensorCommunity] {
            let report = try ImportedFiles().load(bytes, as: format, pieces: 17)
            #expect(report.badRows + report.known + report.imported <= report.rows)
            #expect(report.badRows > 0)
        }
    }

    @Test(arguments: [ImportFileTests.periods, .sensorCommunity])
    func aFileWithoutOneGoodRowIsForeign(_ format: ImportFormat) throws {
        let foreign = (0..<300).map { "\($0);of;another\n" }.joined()
        let report = try ImportedFiles().load(Array(foreign.utf8), as: format)
        #expect(report.isForeign && report.badRows == 300 && report.imported == 0)
        #expect(try !ImportedFiles().load([], as: format).isForeign)
    }
}
