import Core
import SimulationKit
import Testing

@testable import RoostCourier

@Suite struct FileCursorTests {
    private static func mark(_ random: inout SplitMix64, from start: Int) -> FilePeriodCursor {
        var mark = FilePeriodCursor(from: start + Int.random(in: 0...1_000_000_000, using: &random))
        mark.seen = mark.settled + Int.random(in: 0...100_000, using: &random)
        mark.waiting = Int.random(in: 0...9_000_000, using: &random)
        mark.hasExpired = Bool.random(using: &random)
        mark.delivered = .init(files: 12, samples: Int.random(in: 0...9_000_000, using: &random))
        for reason in LeftOut.allCases where Bool.random(using: &random) {
            mark.leftOut[reason] = .init(files: 3, samples: 4_000)
        }
        return mark
    }

    @Test func comesBackAsItWas() throws {
        var random = SplitMix64(seed: 9)
        for _ in 0..<200 {
            let origin = Int.random(in: 1_600_000_000...2_000_000_000, using: &random)
            var marks: [FilePeriod: FilePeriodCursor] = [:]
            for period in FilePeriod.allCases where Bool.random(using: &random) {
                marks[period] = Self.mark(&random, from: origin)
                if Bool.random(using: &random) { marks[period]?.asides = [origin + 3_600] }
            }
            let cursor = FileCursor(origin: origin, marks: marks)
            #expect(try FileCursor(cursor.encode()) == cursor)
        }
    }

    @Test func fitsWithEveryNumberAtItsLargest() throws {
        let most = 1 << 53
        var mark = FilePeriodCursor(from: 4_000_000_000)
        (mark.seen, mark.waiting) = (4_200_000_000, most)
        mark.asides = [4_100_000_000, 4_150_000_000]
        mark.delivered = .init(files: most, samples: most)
        for reason in LeftOut.allCases { mark.leftOut[reason] = .init(files: most, samples: most) }
        let marks = Dictionary(uniqueKeysWithValues: FilePeriod.allCases.map { ($0, mark) })
        let bytes = FileCursor(origin: 1_000_000_000, marks: marks).encode()
        #expect(bytes.count <= OutboxCursor.byteLimit)
        #expect(bytes.count == 884)
        #expect(try FileCursor(bytes).marks == marks)
    }

    @Test func refusesWhatIsNoCursorOfFiles() throws {
        let samples = try OutboxCursor().encode()
        #expect(throws: CursorError.otherVersion(1)) { try FileCursor(samples) }
        let files = FileCursor(origin: 5, marks: [.daily: FilePeriodCursor(from: 7)]).encode()
        #expect(throws: CursorError.otherVersion(2)) {
            try OutboxCursor(files) { _ in nil }
        }
        for length in 0..<files.count {
            #expect(throws: CursorError.self) { try FileCursor(Array(files.prefix(length))) }
        }
        #expect(throws: CursorError.malformed) { try FileCursor(files + [0]) }
        var random = SplitMix64(seed: 3)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = try? FileCursor([2] + bytes)
        }
    }
}
