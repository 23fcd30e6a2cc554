import Core
import Testing

@testable import Store

/// Logs of bGeigies and measurements of Safecast.
@Suite struct ImportSafecastTests {
    private func load(
        _ text: String,
        pieces size: Int = 4_096,
        now: WallTime? = nil
    ) throws -> (samples: [ImportedSample], report: ImportReport) {
        var samples: [ImportedSample] = []
        var file = ImportFile(
            "a.log",
            as: .safecast,
            now: now,
            isKnown: { _, _ in false },
            take: { samples.append($0) }
        )
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            try file.receive(bytes[start..<min(start + size, bytes.count)])
        }
        return (samples, try file.finish())
    }

    /// - Source: `Safecast/safecastapi:spec/fixtures/malformed_bgeigie.log`, commit 6cf36124: a
    ///   letter that flipped, two lines run together, a checksum with a tail; and a comment.
    private static let start = "$BNRDD,2709,2016"
    private static let malformed =
        "# NEW LOG\n# format=1.3.4nano\n# deadtime=on\n\n"
        + start + "-09-20T04:09:07Z,49,3,3419,A,5147.8081,N,00010.4778,E,79.20,A,10,83*71\r\n"
        + start + "-09-20T04:09:17Z,42,2,3423,A,5147.9350,N,00010>5185,U,84.10,A,10,83*79\r\n"
        + "$BNRdD,2709,2016-09-20T04:09:22Z,45,5,3428,A,5148.0005,N,"
        + "00010.5344,E,87.20,A,10,83*7E\r\n"
        + start + "-09-20T04:09:27Z,47,5,3433,A,5148.0669,N,00010.5485,E,90.30,A,9,89*40-\r\n"
        + start + "-09-20T04:09:32Z,47,1,3434,A,5148.1327,N,00010.5587,E,92.00,A,9,89*4B\r"
        + "*$BNRDD,2709,2016-09-20T04:09:37Z,50,6,3440,A,5148.2003,N,"
        + "00010.5664,E,93.30,A,9,89*46\r\n"

    @Test(arguments: [1, 7, 4_096])
    func takesWhatIsGoodInALogAndNamesTheRest(pieces: Int) throws {
        let (samples, report) = try load(Self.malformed, pieces: pieces)
        #expect(report.rows == 6 && report.badRows == 4 && report.imported == 2)
        #expect(samples.map(\.source) == ["bgeigie:2709", "bgeigie:2709"])
        #expect(samples.map(\.wall.iso8601) == ["2016-09-20T04:09:07Z", "2016-09-20T04:09:32Z"])
        let values = samples[0].values.map { "\($0.quantity.name) \($0.value)" }
        #expect(
            values == ["cpm 49", "latitude 51.7968017", "longitude 0.1746300", "altitude 79.20"]
        )
        #expect(report.problems.map(\.line) == [6, 7, 8, 9])
        #expect(report.problems[0].description == "a.log:6: no line of a log: place")
    }

    /// An early bGeigie Zen names its lines `$BZRDD` and writes what a Nano does.
    ///
    /// - Source: `Safecast/bGeigieZen`, issue 16.
    @Test func theLogOfAnEarlyZenIsThatOfABGeigie() throws {
        let lines = (0..<10).map { index in
            let second = index * 5 < 10 ? "0\(index * 5)" : "\(index * 5)"
            return Self.line(
                "BZRDD,2001,2021-04-06T10:05:\(second)Z,\(30 + index * 5),\(index),"
                    + "\(100 + index * 5),A,3540.1234,N,13945.5678,E,40.5,A,7,1.10"
            )
        }
        let head = "# NEW LOG\n# format=3.3.3zen\n"
        let (samples, report) = try load(head + lines.joined())
        #expect(report.rows == 10 && report.badRows == 0 && report.imported == 10)
        #expect(Set(samples.map(\.source)) == ["bgeigie:2001"])
        #expect(samples[9].values.first?.value == 75)
    }

    /// Counts of the first minute, and places without a fix, are no values.
    @Test func aLineThatSaysNothingIsNoSample() throws {
        let lines = [
            "BGRDD,002,2011-07-05T13:51:48Z,7,3,7,V,3538.5284,N,13943.1506,E,93.0,V,16.0,0",
            "BMRDD,028,2011-12-08T18:15:51Z,28,5,28,V,4141.7501,N,07355.2022,W,658.4,A,3.2,1",
        ].map(Self.line)
        let (samples, report) = try load(lines.joined())
        #expect(report.rows == 2 && report.badRows == 0 && report.imported == 1)
        #expect(samples[0].source == "bgeigie:028")
        #expect(samples[0].values.map(\.quantity.name) == ["latitude", "longitude", "altitude"])
        #expect(samples[0].values[1].value == FixedPoint(-739_200_367, decimals: 7))
    }

    private static func line(_ content: String) -> String {
        let digits = String(content.utf8.reduce(0, ^), radix: 16)
        return "$\(content)*\(digits.count < 2 ? "0" : "")\(digits)\r\n"
    }

    @Test func whatNoCounterCanHaveSaidIsBad() throws {
        let rows = [
            ("2026-11-22T10:00:00Z", "30", "200.00"), ("2026-11-22T10:00:05Z", "10000001", "1.00"),
            ("2026-11-22T10:00:10Z", "30", "100000.01"), ("2026-11-22T10:00:15Z", "30", "-5001.00"),
            ("2099-01-01T00:00:00Z", "30", "1.00"), ("2026-11-22T12:00:00Z", "30", "1.00"),
        ]
        let text = rows.map { time, rate, altitude in
            let place = "4610.3678,N,00952.7160,E,\(altitude)"
            return Self.line("BNRDD,1,\(time),\(rate),0,0,A,\(place),A,8,100")
        }
        let now = WallTime(iso8601: "2026-11-22T11:00:00Z")
        let (samples, report) = try load(text.joined(), now: now)
        #expect(report.rows == 6 && report.imported == 2 && samples.count == 2)
        #expect(
            report.problems.map(\.description) == [
                "a.log:2: no number in range: \"10000001\"",
                "a.log:3: no number in range: \"100000.01\"",
                "a.log:4: no number in range: \"-5001.00\"",
                "a.log:5: in the future: \"2099-01-01T00:00:00Z\"",
            ]
        )
        let early = WallTime(iso8601: "2024-05-01T09:00:02Z")
        #expect(try load(Self.measurements, now: early).report.imported == 1)
    }

    @Test func aCutFileSaysSo() throws {
        let end = try #require(Self.measurements.firstRange(of: "\"unit\":\"bq\""))
        let (samples, report) = try load(String(Self.measurements[..<end.lowerBound]))
        #expect(samples.count == 2 && report.rows == 3 && report.badRows == 1)
        #expect(
            report.problems.map(\.description) == ["a.log:5: the file ends in the middle"]
        )
    }

    private static let measurements = """
        [{"id":1,"value":34.567,"unit":"cpm","latitude":46.0671,"longitude":-11.12345678,
          "captured_at":"2024-05-01T10:00:00.000Z","device_id":52,"user_id":9,"height":null},
         {"value":0.12,"unit":"usv","latitude":-46,"longitude":11.0,"note":"[{\\"}\\u00b5\\\\",
          "captured_at":"2024-05-01T10:00:05.000Z","user_id":9,"tags":["a",{"b":1}]},
         {"value":1,"unit":"bq","latitude":1,"longitude":1,"captured_at":"2024-05-01T10:00:05Z"},
         {"value":-1,"unit":"cpm","latitude":1,"longitude":1,"captured_at":"2024-05-01T10:00:05Z"},
         {"value":1,"unit":"cpm","latitude":91,"longitude":1,"captured_at":"2024-05-01T10:00:05Z"},
         {"value":1,"unit":"cpm","latitude":1,"longitude":1,"captured_at":"spring"},
         {"value":1,"unit":"cpm","latitude":1,"longitude":1}]
        """

    @Test(arguments: [1, 5, 4_096])
    func takesMeasurementsOfTheAPI(pieces: Int) throws {
        let (samples, report) = try load(Self.measurements, pieces: pieces)
        #expect(report.rows == 7 && report.badRows == 5)
        #expect(samples.map(\.source) == ["safecast:52", "safecast:user-9"])
        let values = samples.map { $0.values.map { "\($0.value) \($0.quantity.unit)" } }
        #expect(values[0] == ["34.57 cpm", "46.0671000 °", "-11.1234568 °"])
        #expect(values[1] == ["0.1200 µSv/h", "-46.0000000 °", "11.0000000 °"])
        #expect(report.problems.map(\.line) == [5, 6, 7, 8, 9])
        #expect(report.problems[0].description == "a.log:5: nothing known is named \"bq\"")
    }

    @Test func takesOneMeasurementAndOneALine() throws {
        let one = #"{"measurement":{"value":5,"unit":"cpm","latitude":1,"longitude":2,"#
        let time = #""captured_at":"2024-05-01T10:00:0"#
        let text = (0..<3).map { one + time + "\($0)Z\"}}" }.joined(separator: "\n")
        let (samples, report) = try load(text)
        #expect(report.rows == 3 && report.imported == 3)
        #expect(samples.allSatisfy { $0.source == "safecast:unknown" })
    }

    @Test(arguments: ["", "hello\nworld\n", "{\"a\":1}", "[[[[", "<!doctype html>", "{\"value\":3"])
    func findsNothingInOtherFiles(text: String) throws {
        let (samples, report) = try load(text)
        #expect(samples.isEmpty)
        #expect(report.imported == 0 && report.badRows == report.rows)
    }

    @Test func aDeepFileEndsTheSearch() {
        var json = FlatJSON()
        let deep = String(repeating: "[", count: 40) + #"{"a":1}"#
        #expect(json.receive(Array(deep.utf8)).isEmpty && json.isTooDeep)
    }

    /// Any bytes give no more than they hold, and no crash.
    @Test func anyBytesAreRead() throws {
        var random = SystemlessGenerator(state: 5)
        let seeds = [Self.measurements, Self.malformed].map { Array($0.utf8) }
        for round in 0..<400 {
            var bytes = seeds[round % 2]
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255,
                    using: &random
                )
            }
            let (samples, report) = try load(String(decoding: bytes, as: UTF8.self), pieces: 100)
            #expect(samples.count == report.imported && report.rows <= 20)
        }
    }

    @Test(arguments: [
        (FixedPoint(12_345, decimals: 3), "12.35"), (FixedPoint(-12_345, decimals: 3), "-12.35"),
        (FixedPoint(12_344, decimals: 3), "12.34"), (FixedPoint(5, decimals: 0), "5.00"),
        (FixedPoint(999_999_999, decimals: 9), "1.00"),
    ])
    func roundsHalvesAwayFromZero(value: FixedPoint, words: String) {
        #expect(ImportSafecastRows.rounded(value, 2)?.description == words)
    }

    private struct SystemlessGenerator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }
}
