import Core
import HardwareIO
import Testing

@testable import Runtime
@testable import SimulationKit
@testable import Station
@testable import Store

private let boot = BootID(bytes: Array(1...16))

/// A queue in front of a card that takes what the test lets it take.
private struct Bench {
    let clock: SimulatedClock
    let queue: StoreQueue
    let capacity = 1_024

    init(_ clock: SimulatedClock, limit: Int) {
        self.clock = clock
        queue = StoreQueue(
            StoreIntake(lossWindow: .seconds(60), capacity: capacity, streams: []),
            mirror: nil,
            clock: clock,
            attention: Signal(),
            schedule: { _ in .seconds(1) },
            limit: limit
        )
        queue.append(.started(at: Tick(clock.now), version: "1.0"), isUrgent: true)
    }

    /// One sample a second whose values jump, so that blocks fill.
    func live(_ count: Int) async throws {
        var generator = SplitMix64(seed: UInt64(count))
        for _ in 0..<count {
            try await clock.sleep(for: .seconds(1))
            let value = FixedPoint(Int64.random(in: 0..<9_999, using: &generator), decimals: 1)
            let channel = Channel(device: "dust", quantity: .pm25)
            queue.append([Reading(channel, at: clock.now, .value(value))])
        }
    }

    /// Writes all that waits.
    func write(into blocks: inout [JournalBlock]) {
        while let batch = queue.nextBatch() {
            let sequence = UInt64(blocks.count + 1)
            blocks.append(JournalBlock(sequence: sequence, boot: boot, payload: batch.payload))
            queue.acknowledge(sequence)
        }
    }
}

extension [JournalBlock] {
    /// Ticks of all samples, in the order they were written.
    fileprivate var ticks: [Int64] {
        var ticks: [Int64] = []
        for block in self {
            for case .samples(_, let segment) in JournalRecordCodec.contents(block.payload).records
            {
                guard var decoder = try? SegmentDecoder(segment, decimals: [1]) else { continue }
                while let (tick, _) = try? decoder.next() { ticks.append(tick.tenths) }
            }
        }
        return ticks
    }
}

@Suite struct StoreQueueTests {
    @Test func theMirrorKeepsWhatCameWhileABlockWasWritten() {
        // The queue has the mirror; what lies in its memory is looked at when it is done.
        nonisolated(unsafe) let memory = SimulatedSharedMemory(byteCount: 4_096)
        nonisolated(unsafe) let mirror: TailMirror? = TailMirror(
            memory,
            boot: boot,
            store: StoreID(of: [1])
        )
        let queue = StoreQueue(
            StoreIntake(lossWindow: .seconds(60), capacity: 1_024, streams: []),
            mirror: mirror,
            clock: SimulatedClock(),
            attention: Signal(),
            schedule: { _ in .seconds(1) }
        )
        func append(_ second: Int) {
            let channel = Channel(device: "dust", quantity: .pm25)
            let value = FixedPoint(Int64(second), decimals: 1)
            let instant = MonotonicInstant.boot.advanced(by: .seconds(second))
            queue.append([Reading(channel, at: instant, .value(value))])
        }
        for second in 1...5 { append(second) }
        queue.seal()
        #expect(queue.nextBatch() != nil)
        append(6)
        queue.acknowledge(1)
        let left = TailMirror(memory, boot: boot, store: StoreID(of: [1])).read()
        #expect(left.sequence == 1 && left.records.count == 1)
    }

    @Test func theStreamsOfARenamedDeviceGoWithIt() throws {
        let dust = StreamDescription(id: StreamID(7), device: "dust", quantities: [.pm25])
        let co2 = StreamDescription(id: StreamID(8), device: "dust", quantities: [.co2])
        let taken = StreamDescription(id: StreamID(9), device: "attic", quantities: [.co2])
        var intake = StoreIntake(
            lossWindow: .seconds(60),
            capacity: 1_024,
            streams: [dust, co2, taken]
        )
        let channel = Channel(device: "dust", quantity: .pm25)
        let reading = Reading(channel, at: .boot, .value(FixedPoint(1, decimals: 1)))
        _ = intake.append([reading], at: .boot)
        #expect(intake.rename("dust", to: "attic") == [dust.renamed("attic")])
        let next = Channel(device: "attic", quantity: .pm25)
        #expect(intake.stream(of: [Reading(next, at: .boot, reading.outcome)])?.id == dust.id)
        #expect(intake.streams(of: "dust") == [co2], "the new name has such a channel")
        #expect(intake.rename("cellar", to: "attic").isEmpty)
    }

    @Test func aProcessDescribesAnOldStreamOnceWithItsFirstSamples() throws {
        let dust = StreamDescription(id: StreamID(7), device: "dust", quantities: [.pm25])
        var intake = StoreIntake(lossWindow: .seconds(60), capacity: 1_024, streams: [dust])
        func descriptions(at second: Int) -> [StreamDescription] {
            let instant = MonotonicInstant.boot.advanced(by: .seconds(second))
            let channel = Channel(device: "dust", quantity: .pm25)
            let reading = Reading(channel, at: instant, .value(FixedPoint(1, decimals: 1)))
            #expect(intake.append([reading], at: instant)?.stream == dust.id)
            return intake.drain().payloads.flatMap { JournalRecordCodec.contents($0).records }
                .compactMap { if case .stream(let stream) = $0 { stream } else { nil } }
        }
        #expect(descriptions(at: 1) == [dust])
        #expect(descriptions(at: 2).isEmpty)
    }

    /// The power may take the later of two blocks: samples without the cursor behind them would be
    /// sent once more.
    @Test func aCursorComesToTheCardNoLaterThanItsSamples() {
        let dust = StreamDescription(id: StreamID(7), device: "dust", quantities: [.pm25])
        var intake = StoreIntake(lossWindow: .seconds(60), capacity: 1_024, streams: [dust])
        let channel = Channel(device: "dust", quantity: .pm25)
        for second in 1...100 {
            let instant = MonotonicInstant.boot.advanced(by: .seconds(second))
            let value = FixedPoint(Int64(second * 7_919 % 9_973), decimals: 1)
            _ = intake.append([Reading(channel, at: instant, .value(value))], at: instant)
        }
        let cursor = StoreCursor(name: "web", blob: [UInt8](repeating: 1, count: 900))
        intake.append(.cursor(cursor), isUrgent: false, at: .boot)
        let payloads = intake.drain().payloads
        #expect(payloads.count == 2)
        let kinds = payloads.flatMap { JournalRecordCodec.contents($0).records }
            .compactMap { record -> String? in
                switch record {
                case .cursor: "cursor"
                case .samples: "samples"
                default: nil
                }
            }
        #expect(kinds == ["cursor", "samples"])
    }

    /// A sample that reports late absences is not mistaken for one of them, and neither are two
    /// samples within a tenth of a second: receivers know a row by its tick.
    @Test func noTwoRowsOfAStreamHaveOneTick() throws {
        let dust = StreamDescription(id: StreamID(7), device: "dust", quantities: [.pm25])
        var intake = StoreIntake(lossWindow: .seconds(60), capacity: 1_024, streams: [dust])
        let channel = Channel(device: "dust", quantity: .pm25)
        func append(atTenths tenths: Int) throws -> Int64 {
            let instant = MonotonicInstant.boot.advanced(by: .milliseconds(100 * tenths))
            let reading = Reading(channel, at: instant, .value(FixedPoint(1, decimals: 1)))
            let stored = intake.append([reading], at: instant)
            return try #require(stored).tick.tenths
        }
        #expect(try append(atTenths: 50) == 50)
        #expect(try append(atTenths: 50) == 51)
        // Recorded afterwards: it lies after the row that was there before it.
        #expect(try append(atTenths: 20) == 52)
        // The next block goes on behind the last.
        _ = intake.drain()
        #expect(try append(atTenths: 52) == 53)
        #expect(try append(atTenths: 90) == 90)
    }

    @Test func atTheBoundTheOldestGoAndTheLedgerNamesExactlyThatTime() throws {
        let (blocks, marks, end) = try simulate { clock in
            let bench = Bench(clock, limit: 8_192)
            var blocks: [JournalBlock] = []
            try await bench.live(300)
            bench.queue.seal()
            bench.write(into: &blocks)
            try await bench.live(20_000)
            #expect(bench.queue.waitingByteCount <= 8_192)
            #expect(bench.queue.waitingByteCount > 6_144)
            bench.queue.seal()
            bench.write(into: &blocks)
            let marks = bench.queue.takeLosses(in: boot)
            #expect(bench.queue.takeLosses(in: boot).isEmpty)
            #expect(bench.queue.droppedCount == marks.first?.lost)
            return (blocks, marks, Tick(clock.now))
        }
        let ticks = blocks.ticks
        let mark = try #require(marks.first)
        #expect(marks.count == 1)
        #expect(ticks.count + mark.lost == 20_300)
        #expect(mark.lost > 10_000)
        // One hole: what was acknowledged before, and the newest.
        let steps = zip(ticks, ticks.dropFirst()).map { $1 - $0 }
        #expect(steps.filter { $0 != 10 } == [Int64(mark.lost + 1) * 10])
        let run = NodeRun(boot: boot, started: Tick(tenths: 0), ended: end, end: .running)
        let clock = ClockAnchors(runs: [run], anchors: [])
        let stream = StreamDescription(id: StreamID(1), device: "dust", quantities: [.pm25])
        var ledger = GapLedger(stream, along: GapLedgerTimeline(runs: [run], clock: clock))
        ledger.schedule(.seconds(1), boot, from: Tick(tenths: 0))
        ledger.mark(mark)
        for tick in ticks {
            ledger.sample([.value(FixedPoint(1, decimals: 1))], boot, Tick(tenths: tick))
        }
        let line = try #require(ledger.finish().lines.first)
        let dropped = line.gaps.filter { $0.cause == .cardDropped }
        #expect(dropped.map(\.tenths) == [Int64(mark.lost) * 10])
        #expect(dropped.map(\.count) == [1])
        #expect(!line.gaps.contains { $0.cause == .unexplained })
        #expect(line.lostCount == mark.lost)
    }

    @Test func whatLaterBlocksNeedIsNotDropped() throws {
        let blocks = try simulate { clock in
            let bench = Bench(clock, limit: 4_096)
            var blocks: [JournalBlock] = []
            // Nothing was ever written: the start and the stream are among the oldest.
            try await bench.live(10_000)
            bench.queue.seal()
            bench.write(into: &blocks)
            return blocks
        }
        let first = try #require(blocks.first)
        let records = JournalRecordCodec.contents(first.payload).records
        #expect(records.count == 3)
        #expect(records.contains { if case .started = $0 { true } else { false } })
        #expect(records.contains { if case .stream = $0 { true } else { false } })
        #expect(records.contains { if case .schedule = $0 { true } else { false } })
    }

    @Test func theBatchThatIsBeingWrittenIsNotDroppedAndIsAcknowledgedAlone() throws {
        let (before, after) = try simulate { clock in
            let bench = Bench(clock, limit: 4_096)
            try await bench.live(100)
            bench.queue.seal()
            let batch = try #require(bench.queue.nextBatch())
            // The card stalls within that write, for longer than memory lasts.
            try await bench.live(10_000)
            #expect(bench.queue.droppedCount > 5_000)
            let waiting = bench.queue.waitingByteCount
            bench.queue.acknowledge(1)
            #expect(bench.queue.waitingByteCount == waiting - batch.payload.count)
            bench.queue.acknowledge(2)
            var blocks = [JournalBlock(sequence: 1, boot: boot, payload: batch.payload)]
            bench.queue.seal()
            let count = blocks.ticks.count
            bench.write(into: &blocks)
            return (count, blocks.ticks.count + bench.queue.droppedCount)
        }
        #expect(before > 0)
        #expect(after == 10_100)
    }

    @Test func aStreamThatNoBlockHoldsIsRefusedWhole() {
        var intake = StoreIntake(lossWindow: .seconds(60), capacity: 256, streams: [])
        let long = String(repeating: "x", count: 200)
        let readings = (0..<2).map { number in
            let quantity = Quantity(name: "\(number)\(long)", unit: "m", decimals: 1)
            let channel = Channel(device: "dust", quantity: quantity)
            return Reading(channel, at: .boot, .noData(.stuck))
        }
        #expect(intake.makeStream(for: readings) == nil)
        #expect(intake.append(readings, at: .boot) == nil)
    }

    @Test func aRecordThatNoBlockHoldsIsCountedAndHoldsUpNothing() throws {
        let (dropped, payloads) = try simulate { clock in
            let bench = Bench(clock, limit: 4_096)
            let quantities = (0..<16).map {
                Quantity(name: "\($0)" + String(repeating: "x", count: 100), unit: "m", decimals: 1)
            }
            let stream = StreamDescription(id: StreamID(7), device: "d", quantities: quantities)
            bench.queue.append(.stream(stream), isUrgent: true)
            bench.queue.seal()
            var blocks: [JournalBlock] = []
            bench.write(into: &blocks)
            return (bench.queue.droppedCount, blocks.map(\.payload))
        }
        #expect(dropped == 1)
        let started = JournalRecord.started(at: Tick(tenths: 0), version: "1.0")
        #expect(payloads == [JournalRecordCodec.encode([started])])
    }
}
