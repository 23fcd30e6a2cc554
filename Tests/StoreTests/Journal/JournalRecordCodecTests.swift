import Core
import Testing

@testable import Store

private let boot = BootID(bytes: Array(1...16))

private let all: [JournalRecord] = [
    .started(at: Tick(tenths: 12), version: "1.2.0"),
    .stream(
        StreamDescription(id: StreamID(7), device: "balcony", quantities: [.pm25, .pm10])
    ),
    .schedule(StreamID(7), from: Tick(tenths: -3), interval: .seconds(300)),
    .schedule(StreamID(.max), from: Tick(tenths: .max), interval: nil),
    .samples(StreamID(7), segment: [0, 1, 255]),
    .samples(StreamID(8), segment: []),
    .event(
        Event(
            at: MonotonicInstant(nanoseconds: .min),
            source: "lights",
            kind: .plain(.lampChanged),
            severity: .warning,
            ["lamp": "grün", "was": ""]
        )
    ),
    .event(
        GapMark(
            .damaged,
            of: StreamID(7),
            from: GapMark.Place(BootID(bytes: Array(2...17)), Tick(tenths: 5)),
            to: GapMark.Place(boot, Tick(tenths: 900)),
            lost: 3
        ).event(at: .boot, in: boot)
    ),
    .anchor(
        ClockAnchor(
            boot: boot,
            tick: Tick(tenths: 9),
            wall: WallTime(nanoseconds: 1_700_000_000_123_456_789),
            isTrusted: true
        )
    ),
    .cursor(StoreCursor(name: "influx", blob: [0, 255, 7])),
    .cursor(StoreCursor(name: String(repeating: "n", count: 64), blob: [])),
    .stopped(at: Tick(tenths: .min)),
]

@Suite struct JournalRecordCodecTests {
    @Test func givesBackEveryKindOfRecord() throws {
        #expect(try JournalRecordCodec.decode(JournalRecordCodec.encode(all)) == all)
        #expect(try JournalRecordCodec.decode([]) == [])
    }

    @Test func skipsAndCountsWhatANewerVersionWrote() {
        let unknown: [UInt8] = [0x63, 2, 0xAA, 0xBB]
        let payload = unknown + JournalRecordCodec.encode(all) + unknown
        let contents = JournalRecordCodec.contents(payload)
        #expect(contents.records == all)
        #expect(contents.unknownCount == 2 && contents.fault == nil)
        // A known kind with more behind it than this version knows: `stopped` and two bytes.
        #expect(
            JournalRecordCodec.contents([2, 3, 8, 1, 1]).records == [.stopped(at: Tick(tenths: 4))]
        )
    }

    @Test func saysWhereUnderstandingEnds() {
        let good = JournalRecordCodec.encode([all[0]])
        let contents = JournalRecordCodec.contents(good + [5, 200, 1, 7])
        #expect(contents.records == [all[0]])
        #expect(contents.fault?.reason == .truncated && contents.fault?.offset == good.count + 1)
        #expect(throws: CodecError.self) { try JournalRecordCodec.decode(good + [5]) }
    }

    @Test func neverTrapsOnATruncatedPayload() {
        let payload = JournalRecordCodec.encode(all)
        for count in 0..<payload.count {
            let contents = JournalRecordCodec.contents(Array(payload.prefix(count)))
            #expect(contents.records == Array(all.prefix(contents.records.count)))
            #expect(contents.records.count < all.count)
        }
    }

    @Test func neverTrapsOnGarbage() {
        var dice = SplitMix64(seed: 3)
        let payload = JournalRecordCodec.encode(all)
        var faultCount = 0
        for _ in 0..<5_000 {
            var garbage = payload
            for _ in 0..<Int.random(in: 1...4, using: &dice) {
                garbage[Int.random(in: 0..<garbage.count, using: &dice)] =
                    UInt8.random(in: 0...255, using: &dice)
            }
            let contents = JournalRecordCodec.contents(garbage)
            faultCount += contents.fault == nil ? 0 : 1
            // Whatever was understood can be written again.
            #expect(
                contents.records.isEmpty
                    || JournalRecordCodec.contents(JournalRecordCodec.encode(contents.records))
                        .fault
                        == nil
            )
            let noise = (0..<64).map { _ in UInt8.random(in: 0...255, using: &dice) }
            faultCount += JournalRecordCodec.contents(noise).fault == nil ? 0 : 1
        }
        #expect(faultCount > 5_000)
    }

    @Test func boundsWhatAnEventTakes() throws {
        let long = String(repeating: "ü", count: 500)
        let details = (0..<40).map { Event.Detail("key \($0)", long) }
        let event = Event(
            at: .boot,
            source: long,
            kind: .other(long),
            severity: .error,
            details: details
        )
        let payload = JournalRecordCodec.encode([.event(event)])
        #expect(payload.count <= 404)
        guard case .event(let read) = try JournalRecordCodec.decode(payload).first else {
            Issue.record("no event")
            return
        }
        #expect(read.source.utf8.count <= 48 && read.source.hasSuffix("ü…"))
        #expect(read.severity == .error && read.details.count == 2)
        #expect(read.details.allSatisfy { $0.value.hasSuffix("ü…") && $0.value.utf8.count <= 120 })
    }

    @Test func packsRecordsInOrderIntoPayloadsThatFit() throws {
        let records = (0..<50).map {
            JournalRecord.samples(StreamID(1), segment: [UInt8](repeating: 0, count: $0 * 3))
        }
        let (payloads, tooLong) = JournalRecordCodec.payloads(records, capacity: 140)
        #expect(payloads.allSatisfy { $0.count <= 140 })
        #expect(try payloads.flatMap { try JournalRecordCodec.decode($0) } + tooLong == records)
        #expect(payloads.count < 40 && tooLong.count == 4)
    }
}
