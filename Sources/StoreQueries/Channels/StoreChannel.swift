import Core
import Store

/// A channel of a store: its stream, and its place there.
package struct StoreChannel: Hashable, Sendable {
    package let stream: StreamDescription
    package let index: Int

    package init(stream: StreamDescription, index: Int) {
        (self.stream, self.index) = (stream, index)
    }

    /// Name of the channel, such as `balcony/pm25`.
    package var name: String { stream.channels[index].description }
    package var quantity: Quantity { stream.quantities[index] }
    package var decimals: Int { quantity.decimals }

    /// Reads all channels of a history, those in use first.
    package static func all(_ reader: HistoryReader) throws(StoreError) -> [StoreChannel] {
        try StreamOrder.byUse(reader).flatMap { stream in
            stream.quantities.indices.map { StoreChannel(stream: stream, index: $0) }
        }
    }

    /// The channels of which values are expected; all that the station measured itself where none
    /// are.
    package static func inUse(_ reader: HistoryReader) throws(StoreError) -> [StoreChannel] {
        let inUse = try reader.streamsInUse()
        let own = try all(reader).filter { !$0.stream.id.isImported }
        let used = own.filter { inUse.contains($0.stream.id) }
        return used.isEmpty ? own : used
    }

    /// The channel of a name; nil when the history has none such.
    package init?(_ name: String, in reader: HistoryReader) throws(StoreError) {
        guard let found = try Self.all(reader).first(where: { $0.name == name }) else {
            return nil
        }
        self = found
    }

    /// Where it has samples within a time, oldest first, on one axis.
    package func spans(
        _ reader: HistoryReader,
        _ times: StoreTimes,
        _ range: TimeRange
    ) throws(StoreError) -> [HistorySpan] {
        let all = try StreamExtents(reader).spans(of: stream.id)
        return ImportedBoot.ordered(times.clip(all, range))
    }

    /// A mean or a value as a number, from mantissas.
    package func number(_ mantissa: Double) -> Double {
        mantissa / (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
    }
}
