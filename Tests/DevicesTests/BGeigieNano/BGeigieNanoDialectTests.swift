import Core
import Devices
import FoundationEssentials
import Testing

@Suite struct BGeigieNanoDialectTests {
    /// What a separate script counted in a log.
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
        #expect(rows.count == expected.goodCount)
        guard let device = expected.device else { return }
        #expect(devices == Set(device))
        let counting = rows.compactMap { $0[0].value }
        #expect(counting.count == expected.countingCount)
        let places = rows.filter { $0[1].value != nil }
        #expect(places.count == expected.fixCount)
        guard places.count == rows.count, let south = expected.latMin else { return }
        let values = (1...3).map { column in places.compactMap { $0[column].value?.doubleValue } }
        let bounds = values.map { ($0.min() ?? 0, $0.max() ?? 0) }
        #expect(abs(bounds[0].0 - south) < 2e-6)
        #expect(abs(bounds[0].1 - (expected.latMax ?? 0)) < 2e-6)
        #expect(abs(bounds[1].0 - (expected.lonMin ?? 0)) < 2e-6)
        #expect(abs(bounds[1].1 - (expected.lonMax ?? 0)) < 2e-6)
        #expect(bounds[2].0 == expected.altMin && bounds[2].1 == expected.altMax)
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
