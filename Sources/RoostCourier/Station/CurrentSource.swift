import Core
import Store
import Synchronization

/// Holder of the child that follows the station now.
final class CurrentStation: Sendable {
    private let source = Mutex<StationSource?>(nil)

    init() {}

    var station: StationSource? { source.withLock { $0 } }

    func set(_ source: StationSource) { self.source.withLock { $0 = source } }
}

/// The running source of samples: the supervisor makes a new one after a failure.
struct CurrentSource: OutboxSampleSource {
    private let current: CurrentStation

    init(_ current: CurrentStation) { self.current = current }

    private var source: StationSource {
        get throws {
            guard let source = current.station else {
                throw StationDown("the station has not answered yet")
            }
            return source
        }
    }

    /// Device and channels of each stream.
    var descriptions: [StreamID: (String, [Quantity])] {
        get async {
            let all = await current.station?.descriptions ?? []
            let pairs = all.map { ($0.id, ($0.device, $0.quantities)) }
            return Dictionary(pairs) { _, new in new }
        }
    }

    /// Returns the channels that a choice leaves.
    func channels(of choice: StreamChoice) async -> [SampleChannels] {
        await descriptions.sorted { $0.key < $1.key }.compactMap { _, known in
            let quantities = known.1.filter { choice.takes(known.0, $0.name) }
            return SampleChannels(device: known.0, quantities, of: known.1)
        }
    }

    func streams() async throws -> [StreamID] { try await source.streams() }

    func boots() async throws -> [BootID: Int] { try await source.boots() }

    func count(
        of stream: StreamID,
        after place: OutboxPosition?
    ) async throws -> (count: Int, newest: OutboxPosition?) {
        try await source.count(of: stream, after: place)
    }

    func page(
        of stream: StreamID,
        after place: OutboxPosition?,
        limit: Int
    ) async throws -> OutboxPage? {
        try await source.page(of: stream, after: place, limit: limit)
    }

    func place(notAfter moment: WallTime) async throws -> OutboxPosition? {
        try await source.place(notAfter: moment)
    }

    func change(
        since count: UInt64,
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> UInt64 {
        try await source.change(since: count, until: deadline, tolerance: tolerance)
    }
}
