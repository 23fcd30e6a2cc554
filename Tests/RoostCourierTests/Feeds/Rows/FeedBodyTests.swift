import ControlProtocol
import Core
import Testing

@testable import RoostCourier

@Suite struct FeedBodyTests {
    private static let names = [
        "v1-pm25-20201215T0800", "handmade-v2-pm25-day-minus-one-null",
        "handmade-nicp-bhqi-rows-10043",
    ]

    private static func decodeAll(_ bytes: [UInt8]) -> [Result<FeedRows, FeedFault>] {
        let sensors = ["10043": ARPASensor(id: "10043", quantity: "pm10")]
        return [
            Result { () throws(FeedFault) in try SingaporeRows.decode(bytes) },
            Result { () throws(FeedFault) in try ARPARows.decode(bytes, sensors) },
            Result { () throws(FeedFault) in
                try PeerRows.decode(bytes, from: "peer", of: "dust/pm25")
            },
            Result { () throws(FeedFault) in try ARPASensor.registry(bytes).left },
        ]
    }

    @Test func saysWhereAPortalsPageIsNoJSON() {
        let page = Array("<html><body>Log in to the hotel</body></html>".utf8)
        for result in Self.decodeAll(page) {
            #expect(result == .failure(.notJSON("unexpected < in line 1, column 1")))
        }
    }

    @Test func refusesABodyAboveItsBound() {
        let body = [UInt8](repeating: 32, count: FeedRows.byteCountMax + 1)
        for result in Self.decodeAll(body) {
            #expect(result == .failure(.tooLarge(byteCount: body.count)))
        }
    }

    @Test func saysWhatHasAnotherShape() {
        let fault = FeedFault.shape(place: "/data/items", wanted: "an array", found: "5")
        #expect(throws: fault) {
            try SingaporeRows.decode(Array(#"{"code":0,"data":{"items":5}}"#.utf8))
        }
        #expect(fault.message == "/data/items is 5, not an array")
    }

    @Test(arguments: names)
    func aBodyThatWasCutIsAFault(name: String) throws {
        let bytes = try Fixture.bytes(name)
        let end = try #require(bytes.lastIndex { $0 > 32 })
        for count in 0..<end {
            for result in Self.decodeAll(Array(bytes[..<count])) {
                guard case .failure(.notJSON) = result else {
                    Issue.record("\(count) bytes were taken")
                    return
                }
            }
        }
    }

    /// Changed bytes make a fault or rows that keep their bounds, and never a negative value.
    @Test(arguments: names)
    func changedBytesMakeNoWrongRow(name: String) throws {
        let original = try Fixture.bytes(name)
        var (random, taken) = (SplitMix64(seed: 20_261_123), 0)
        for _ in 0..<2_000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                bytes[at] = UInt8.random(in: 0x20...0x7E, using: &random)
            }
            for case .success(let rows) in Self.decodeAll(bytes) {
                taken += rows.rows.count
                #expect(rows.rows.allSatisfy { $0.value.map { $0 >= 0 && $0.isFinite } ?? true })
                #expect(rows.omissions.count == min(rows.omittedCount, FeedRows.omissionsMax))
            }
        }
        // Else the changes never left a body that could be read, and the test checked nothing.
        #expect(taken > 0)
    }
}
