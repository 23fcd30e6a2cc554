import Core
import RoostCourier
import Synchronization

/// A store in memory: streams whose oldest samples are overwritten, and boots that end.
final class SimulatedRing: OutboxSampleSource, CursorStore {
    private struct Stream {
        let device: String
        let quantities: [Quantity]
        var samples: [Row] = []
        var recorded = 0
        var expired = 0
    }

    private struct Row {
        let place: OutboxPosition
        let outcomes: [Outcome]
    }

    private struct State {
        var streams: [StreamID: Stream] = [:]
        var boots: [BootID] = []
        /// Wall time at tick 0 of each boot, once it is known.
        var anchors: [BootID: WallTime] = [:]
        var cursors: [String: [UInt8]] = [:]
        var durable: [String: [UInt8]] = [:]
        /// Samples recorded later than this are not on the card.
        var syncedAt: MonotonicInstant
        var writeCount = 0
        var changeCount: UInt64 = 0
        var waiting: [Signal] = []
    }

    private let clock: any NodeClock
    /// Samples of one stream for which there is room.
    private let room: Int
    private let state: Mutex<State>

    init(clock: any NodeClock, room: Int) {
        (self.clock, self.room) = (clock, room)
        state = Mutex(State(syncedAt: clock.now))
    }

    func add(_ stream: StreamID, device: String, _ quantities: [Quantity]) {
        state.withLock { $0.streams[stream] = Stream(device: device, quantities: quantities) }
    }

    func start(_ boot: BootID) { state.withLock { $0.boots.append(boot) } }

    /// Dates a boot by the wall time at its tick 0.
    func anchor(_ boot: BootID, _ wall: WallTime) {
        state.withLock { $0.anchors[boot] = wall }
        change()
    }

    /// Records a sample in the present boot.
    func record(_ stream: StreamID, _ tick: Tick, _ outcomes: [Outcome]) {
        state.withLock { state in
            guard let boot = state.boots.last, state.streams[stream] != nil else { return }
            let number = state.boots.count
            let place = OutboxPosition(boot: boot, bootNumber: number, tick: tick)
            // Change in place: a copy of all rows for each sample would take quadratic time.
            state.streams[stream]?.samples.append(Row(place: place, outcomes: outcomes))
            state.streams[stream]?.recorded += 1
            if let count = state.streams[stream]?.samples.count, count > room {
                state.streams[stream]?.samples.removeFirst()
                state.streams[stream]?.expired += 1
            }
        }
        change()
    }

    /// Number of samples recorded so far, of all streams.
    var recorded: Int {
        state.withLock { $0.streams.values.reduce(0) { $0 + $1.recorded } }
    }
    var expired: Int { state.withLock { $0.streams.values.reduce(0) { $0 + $1.expired } } }

    /// Samples in the ring, as `stream/boot/tick`.
    var items: Set<String> {
        state.withLock { state in
            var found: Set<String> = []
            for (stream, entry) in state.streams {
                for sample in entry.samples {
                    let (place, number) = (sample.place, stream.rawValue)
                    found.insert("\(number)/\(place.boot)/\(place.tick.tenths)")
                }
            }
            return found
        }
    }

    /// Writes everything to the card.
    func sync() {
        state.withLock { state in
            (state.durable, state.syncedAt) = (state.cursors, clock.now)
            state.writeCount += 1
        }
    }

    /// Number of writes to the card.
    var writeCount: Int { state.withLock { $0.writeCount } }

    /// Loses samples and cursors since the last `sync`.
    func cutPower() {
        let edge = state.withLock { $0.syncedAt }
        cutPower(samplesSince: Tick(edge.advanced(by: .milliseconds(100))))
    }

    /// Loses the cursors since the last sync, and the samples since `tick`.
    func cutPower(samplesSince tick: Tick) {
        state.withLock { state in
            state.cursors = state.durable
            guard let boot = state.boots.last else { return }
            for (stream, var entry) in state.streams {
                let kept = entry.samples.filter { $0.place.boot != boot || $0.place.tick < tick }
                entry.recorded -= entry.samples.count - kept.count
                entry.samples = kept
                state.streams[stream] = entry
            }
        }
    }

    private func change() {
        let signals = state.withLock { state in
            state.changeCount += 1
            defer { state.waiting = [] }
            return state.waiting
        }
        for signal in signals { signal.raise() }
    }

    // MARK: As a source

    func streams() async throws -> [StreamID] {
        state.withLock { $0.streams.filter { !$0.value.samples.isEmpty }.keys.sorted() }
    }

    func boots() async throws -> [BootID: Int] {
        state.withLock { state in
            Dictionary(uniqueKeysWithValues: state.boots.enumerated().map { ($1, $0 + 1) })
        }
    }

    func count(
        of stream: StreamID,
        after place: OutboxPosition?
    ) async throws -> (count: Int, newest: OutboxPosition?) {
        state.withLock { state in
            let samples = state.streams[stream]?.samples ?? []
            let first = Self.first(samples, after: place)
            return (samples.count - first, samples.last?.place)
        }
    }

    func page(
        of stream: StreamID,
        after place: OutboxPosition?,
        limit: Int
    ) async throws -> OutboxPage? {
        state.withLock { state in
            guard let entry = state.streams[stream] else { return nil }
            let start = Self.first(entry.samples, after: place)
            guard start < entry.samples.count else { return nil }
            let (boot, number) = (
                entry.samples[start].place.boot, entry.samples[start].place.bootNumber
            )
            let rows = entry.samples[start...].prefix(limit).prefix { $0.place.boot == boot }
            let samples = rows.map { row in
                let time = state.anchors[boot].map { wall in
                    WallTime(nanoseconds: wall.nanoseconds + row.place.tick.instant.nanoseconds)
                }
                return OutboxSample(
                    stream: stream,
                    at: (boot, row.place.tick),
                    time: time,
                    device: entry.device,
                    quantities: entry.quantities,
                    outcomes: row.outcomes
                )
            }
            return OutboxPage(
                stream: stream,
                boot: boot,
                bootNumber: number,
                isPresent: boot == state.boots.last,
                samples: samples
            )
        }
    }

    func place(notAfter moment: WallTime) async throws -> OutboxPosition? {
        state.withLock { state in
            for (index, boot) in state.boots.enumerated().reversed() {
                guard let wall = state.anchors[boot], wall <= moment else { continue }
                let tick = Tick(tenths: (moment.nanoseconds - wall.nanoseconds) / 100_000_000)
                return OutboxPosition(boot: boot, bootNumber: index + 1, tick: tick)
            }
            return nil
        }
    }

    func change(
        since count: UInt64,
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> UInt64 {
        let signal = Signal()
        let present = state.withLock { state in
            if state.changeCount == count { state.waiting.append(signal) }
            return state.changeCount
        }
        if present != count { return present }
        _ = try await clock.wait(for: signal, until: deadline, tolerance: tolerance)
        return state.withLock { $0.changeCount }
    }

    private static func first(_ rows: [Row], after place: OutboxPosition?) -> Int {
        guard let place else { return 0 }
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].place <= place { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: As a keeper

    func cursor(of target: String) async throws -> [UInt8]? {
        state.withLock { $0.cursors[target] }
    }

    func keep(_ bytes: [UInt8], of target: String) async {
        state.withLock { $0.cursors[target] = bytes }
    }

    /// An urgent cursor is on the card at once.
    func keep(_ bytes: [UInt8], of target: String, isUrgent: Bool) async {
        state.withLock { state in
            state.cursors[target] = bytes
            if isUrgent { state.durable[target] = bytes }
        }
    }

    /// Writes the whole block, as a station does, and only where samples may be on the card.
    func makeDurable(
        _ bytes: [UInt8],
        of target: String,
        before tick: Tick?
    ) async throws -> String? {
        let isThere = state.withLock { state in
            state.cursors[target] = bytes
            return tick.map { $0.instant > state.syncedAt.advanced(by: .milliseconds(200)) }
                ?? false
        }
        if isThere { return nil }
        try await clock.sleep(for: .seconds(2), tolerance: .zero)
        sync()
        return nil
    }
}
