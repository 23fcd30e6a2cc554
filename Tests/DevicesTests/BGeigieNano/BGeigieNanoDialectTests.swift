import FoundationEssentials
import Testing

@testable import Core
@testable import Devices

@Suite struct BGeigieNanoDialectTests {
    /// Counts of a log's lines, computed by a separate script.
    struct Expected: Decodable {
        let goodCount: Int
        let countingCount: Int?
        let fixCount: Int?
        let device: [String]?
        let latMin, latMax, lonMin, lonMax, altMin, altMax: Double?

        enum CodingKeys: String, CodingKey {
            case goodCount = "checksum_and_rule_ok"
            case countingCount = "rad_A"
            case fixCount = "gps_A"
            case device
            case latMin = "lat_min"
            case latMax = "lat_max"
            case lonMin = "lon_min"
            case lonMax = "lon_max"
            case altMin = "alt_min"
            case altMax = "alt_max"
        }
    }

    static func expected() throws -> [String: Expected] {
        try JSONDecoder().decode(
            [String: Expected].self,
            from: Fixture.data("bgeigie/expected.json")
        )
    }

    static let logs = [
        "api-bgeigie.log", "api-bgeigie_nyc.log", "api-bgeigie_with_corruption.log",
        "api-bgeigie_with_tinygps_bug.log", "api-malformed_bgeigie.log", "nano-204-20120920.log",
    ]

    @Test(arguments: logs)
    func findsWhatTheLogHolds(log: String) throws {
        let expected = try #require(try Self.expected()[log])
        var dialect = BGeigieNanoDialect()
        // Not every log ends its last line.
        let found = dialect.decode(Array(try Fixture.data("bgeigie/\(log)")) + [0x0A])
        var (rows, devices): ([[Outcome]], Set<String?>) = ([], [])
        for case .measurement(let outcomes, let id) in found {
            rows.append(outcomes)
            devices.insert(id)
        }
        // Before a stray character and behind one: the script went by the ends of lines.
        let strayCount = log == "api-malformed_bgeigie.log" ? 2 : 0
        #expect(rows.count == expected.goodCount + strayCount)
        guard let device = expected.device else { return }
        #expect(devices == Set(device))
        let counting = rows.compactMap { $0[0].value }
        #expect(counting.count - strayCount == expected.countingCount)
        let places = rows.filter { $0[1].value != nil }
        #expect(places.count - strayCount == expected.fixCount)
        guard strayCount == 0, places.count == rows.count, let south = expected.latMin else {
            return
        }
        let values = (1...3).map { column in places.compactMap { $0[column].value?.doubleValue } }
        let bounds = values.map { ($0.min() ?? 0, $0.max() ?? 0) }
        #expect(abs(bounds[0].0 - south) < 2e-6)
        #expect(abs(bounds[0].1 - (expected.latMax ?? 0)) < 2e-6)
        #expect(abs(bounds[1].0 - (expected.lonMin ?? 0)) < 2e-6)
        #expect(abs(bounds[1].1 - (expected.lonMax ?? 0)) < 2e-6)
        #expect(bounds[2].0 == expected.altMin && bounds[2].1 == expected.altMax)
    }

    /// A bGeigie Zen by Bluetooth: notifications of 20 bytes, and no ends of lines.
    ///
    /// - Source: `Safecast/bGeigieZen`, issue 79.
    @Test(arguments: [1, 7, 20, 4_096])
    func aRecordEndsWithItsChecksumWhereNoLineEnds(size: Int) {
        let rates = [(30, 0, 100), (35, 1, 105), (40, 2, 110), (45, 3, 115), (50, 4, 120)]
        let records = rates.enumerated().map { index, said in
            let time = "2026-10-06T10:05:\(index < 2 ? "0" : "")\(index * 5)Z"
            let content =
                "BNRDD,2001,\(time),\(said.0),\(said.1),\(said.2),A,3540.1234,N,"
                + "13945.5678,E,40.50,A,7,110"
            let digits = String(content.utf8.reduce(0, ^), radix: 16, uppercase: true)
            return "$\(content)*\(digits)"
        }
        var dialect = BGeigieNanoDialect()
        let bytes = Array(records.joined().utf8)
        var found: [[SensorUtterance]] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            found.append(dialect.decode(Array(bytes[start..<min(start + size, bytes.count)])))
        }
        let said = found.flatMap(\.self)
        let counted = said.compactMap { utterance -> FixedPoint? in
            guard case .measurement(let outcomes, "2001") = utterance else { return nil }
            return outcomes[0].value
        }
        #expect(counted == [30, 35, 40, 45, 50] && said.count { !$0.isTime } == 5)
        #expect(found.last?.isEmpty == false, "the last one waits for nothing")
    }

    /// A piece that is lost costs its record, and the next one is whole.
    @Test func aRecordBeginsWhereTheOneBeforeLostItsEnd() {
        let record =
            "$BNRDD,2001,2026-10-06T10:05:00Z,30,0,100,A,3540.1234,N,13945.5678,E,40.50,A,7,110*47"
        var dialect = BGeigieNanoDialect()
        let said = dialect.decode(Array((record.dropLast(30) + record).utf8)).filter { !$0.isTime }
        #expect(said.count == 2)
        guard case .rejected? = said.first, case .measurement? = said.last else {
            Issue.record("\(said)")
            return
        }
    }

    @Test func refusesTwoFlipsThatCancelInTheChecksum() {
        let line =
            "$BNRDD,2709,2016-09-20T04:09:17Z,42,2,3423,A,5147.9350,N,00010>5185,U,84.10,A,10,83*79"
        let content = line.utf8.dropFirst().prefix { $0 != UInt8(ascii: "*") }
        #expect(content.reduce(0, ^) == 0x79, "the checksum does hold")
        var dialect = BGeigieNanoDialect()
        #expect(dialect.decode(Array("\(line)\r\n".utf8)) == [.rejected("place")])
    }

    @Test func passesTheVerifier() throws {
        var part = BGeigieNanoSimulator(seed: 9)
        let stream = part.advance(to: .boot.advanced(by: .seconds(100)))
        let verifier = StreamVerifier(
            make: { BGeigieNanoDialect() },
            stream: stream,
            garbage: [[0x0A], Array("# NEW LOG\r\n".utf8), Array("$BNRDD,1\n".utf8)]
        )
        try verifier.verify()
        try verifier.fuzz(seed: 7, rounds: 200)
    }
}

extension SensorUtterance {
    var isTime: Bool { if case .time = self { true } else { false } }
}
