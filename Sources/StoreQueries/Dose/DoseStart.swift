import Core
import Store

/// The time from which a person counts the dose of a device.
package enum DoseStart {
    /// When the newest mark of a device was set; nil without one, or while nothing dates it.
    ///
    /// - Throws: `StoreError.database`.
    package static func newest(
        of device: String,
        _ reader: HistoryReader,
        _ times: StoreTimes
    ) throws -> WallTime? {
        let marks = try HistoryEvents(reader).newest(1) { found in
            found.event.kind == .doseMarked(channel: device)
        }
        return marks.first.flatMap { times.clock.time($0.boot, Tick($0.event.instant))?.wall }
    }

    /// The counter of a name, or the first that measures now; nil without one.
    ///
    /// The station's own come before those that were imported.
    ///
    /// - Parameters:
    ///   - name: A channel as `geiger/cpm`, or a device.
    /// - Returns: Its channels.
    /// - Throws: `StoreError.database`.
    package static func counter(
        _ name: String?,
        in reader: HistoryReader
    ) throws -> DoseSummary.Channels? {
        let streams = try reader.streams()
        let boots = try reader.boots().map { ($0.id, $0.ordinal) }
        let ordinals = Dictionary(boots) { first, _ in first }
        var counters: [(stream: StreamDescription, end: End)] = []
        for stream in streams where DoseSummary.Channels(stream) != nil {
            let ends = try StreamExtents(reader).spans(of: stream.id).map { span in
                let ordinal = span.boot.isImported ? 0 : ordinals[span.boot] ?? .max
                return End(ordinal: ordinal, tick: span.to.tenths)
            }
            counters.append((stream, ends.max() ?? End(ordinal: 0, tick: 0)))
        }
        for isImported in [false, true] {
            let own = counters.filter { counter in
                guard counter.stream.id.isImported == isImported else { return false }
                return name.map { name in
                    counter.stream.device == name
                        || DoseSummary.Channels(counter.stream)?.name == name
                } ?? true
            }
            guard let newest = own.map(\.end).max(),
                let device = own.first(where: { $0.end.isNear(newest) })?.stream.device
            else { continue }
            // The later one of two streams that end together is the newer.
            let all = counters.filter {
                $0.stream.device == device && $0.stream.id.isImported == isImported
            }
            return all.last { one in all.allSatisfy { $0.end <= one.end } }
                .flatMap { DoseSummary.Channels($0.stream, among: streams) }
        }
        return nil
    }

    /// Where the samples of a stream end.
    private struct End: Comparable {
        /// Counters that sample every few minutes measure at the same time as others.
        private static let nearTenths: Int64 = 9_000

        let ordinal: UInt32
        let tick: Int64

        static func < (left: End, right: End) -> Bool {
            (left.ordinal, left.tick) < (right.ordinal, right.tick)
        }

        func isNear(_ newest: End) -> Bool {
            ordinal == newest.ordinal && newest.tick - tick <= Self.nearTenths
        }
    }
}
