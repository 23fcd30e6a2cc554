import Core
import Store

/// From where a person counts the dose of a device.
package enum DoseMark {
    /// When the newest mark of a device was set; nil without one, or while nothing dates it.
    ///
    /// - Throws: `StoreError.database`.
    package static func newest(
        of device: String,
        _ reader: HistoryReader,
        _ times: StoreTimes
    ) throws -> WallTime? {
        let marks = try HistoryEvents(reader).newest(1) { found in
            found.event.kind == .plain(.doseMarked) && found.event["channel"] == device
        }
        return marks.first.flatMap { times.clock.time($0.boot, Tick($0.event.instant))?.wall }
    }

    /// The counter of a name, or the first that the history has; nil without one.
    ///
    /// - Parameters:
    ///   - name: A channel as `geiger/cpm`, or a device.
    ///   - reader: The history.
    /// - Returns: Its channels.
    /// - Throws: `StoreError.database`.
    package static func counter(
        _ name: String?,
        in reader: HistoryReader
    ) throws -> DoseSummary.Channels? {
        let streams = try reader.streams()
        let all = streams.compactMap { DoseSummary.Channels($0, among: streams) }
        guard let name else { return all.first { !$0.stream.id.isImported } ?? all.first }
        // A device that was measured anew has a newer stream of the same name.
        return all.last { $0.name == name || $0.stream.device == name }
    }
}
