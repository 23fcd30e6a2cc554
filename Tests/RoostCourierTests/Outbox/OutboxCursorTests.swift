import Core
import Testing

@testable import RoostCourier

@Suite struct OutboxCursorTests {
    private static func boot(_ number: Int) -> BootID {
        BootID(bytes: [UInt8](repeating: UInt8(number), count: 16))
    }

    private static func place(_ boot: Int, _ tick: Int64) -> OutboxPosition {
        OutboxPosition(boot: Self.boot(boot), bootNumber: boot, tick: Tick(tenths: tick))
    }

    private static func cursor(streams: Int, ranges: Int) -> OutboxCursor {
        var marks: [StreamID: StreamCursor] = [:]
        for stream in 1...streams {
            var mark = StreamCursor(settled: place(1, 100), seen: place(3, 9_000_000))
            mark.waiting = 70_000
            for index in 0..<ranges {
                let from = place(2, Int64(index) * 10_000 + 500)
                let to = place(2, Int64(index) * 10_000 + 9_000)
                mark.ranges.append(OutboxRange(from: from, to: to, count: 850))
            }
            marks[StreamID(UInt16(stream))] = mark
        }
        var totals = OutboxTotals()
        totals.delivered = 1_000_000
        totals.leaveOut([.tooOld: 7, .unknown: 1])
        return OutboxCursor(marks: marks, totals: totals)
    }

    private func number(_ boot: BootID) -> Int? { Int(boot.bytes[0]) }

    @Test func comesBackAsItWas() throws {
        let cursor = Self.cursor(streams: 8, ranges: 3)
        let bytes = try cursor.encode()
        #expect(bytes.count <= OutboxCursor.byteLimit)
        #expect(try OutboxCursor(bytes, number: number) == cursor)
    }

    @Test func leavesOutBeginsBeforeRanges() throws {
        var cursor = Self.cursor(streams: 42, ranges: 1)
        let begin = Self.place(3, 9_000_000)
        for stream in cursor.marks.keys { cursor.marks[stream]?.begin = begin }
        var back = try OutboxCursor(try cursor.encode(), number: number)
        #expect(back.marks.values.allSatisfy { $0.begin == nil && $0.ranges.count == 1 })
        #expect(back.totals == cursor.totals)
        cursor.marks = cursor.marks.filter { $0.key.rawValue <= 16 }
        back = try OutboxCursor(try cursor.encode(), number: number)
        #expect(back == cursor)
    }

    @Test func leavesOutRangesThatDoNotFitAndKeepsTheSum() throws {
        let cursor = Self.cursor(streams: 30, ranges: 4)
        let back = try OutboxCursor(try cursor.encode(), number: number)
        func sum(_ cursor: OutboxCursor) -> Int {
            cursor.totals.delivered + cursor.marks.values.reduce(0) { $0 + $1.waiting }
        }
        #expect(back.marks.count == 30)
        #expect(sum(back) == sum(cursor))
    }

    @Test func knowsWhetherItsRangesFit() {
        let limit = OutboxCursor.byteLimit
        #expect(Self.cursor(streams: 8, ranges: 3).keepsRanges(in: limit))
        #expect(!Self.cursor(streams: 30, ranges: 4).keepsRanges(in: limit))
        #expect(Self.cursor(streams: 30, ranges: 0).hasRoomAhead)
        #expect(!Self.cursor(streams: 42, ranges: 1).hasRoomAhead)
    }

    @Test func saysWhenStreamsAreTooMany() {
        #expect(throws: CursorError.tooManyStreams(100)) {
            try Self.cursor(streams: 100, ranges: 0).encode()
        }
    }

    @Test func refusesWhatIsNoCursor() throws {
        #expect(throws: CursorError.otherVersion(2)) {
            try OutboxCursor([2, 0], number: number)
        }
        let whole = try Self.cursor(streams: 4, ranges: 2).encode()
        for length in 0..<whole.count {
            #expect(throws: CursorError.self) {
                try OutboxCursor(Array(whole.prefix(length)), number: number)
            }
        }
        var random = SplitMix64(seed: 7)
        for _ in 0..<2_000 {
            var bytes = whole
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
                    in: 0...255,
                    using: &random
                )
            }
            _ = try? OutboxCursor(bytes, number: number)
        }
    }
}
