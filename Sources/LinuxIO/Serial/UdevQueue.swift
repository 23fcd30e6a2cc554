import Glibc
import HardwareIO

/// Result of one read from the monitor's socket.
enum UdevReceipt: Hashable, Sendable {
    /// Properties of one event.
    case properties([String: String])
    /// Nothing waits.
    case empty
    /// A message that is not udev's, or not whole.
    case ignored
    /// The kernel dropped events: its buffer was full.
    case overrun
    case failed(errno: Int32)
}

/// Decides what to do with what comes out of the monitor's socket.
///
/// Pure. A snapshot is due at the start and after each overrun. Events queued before it are older
/// than the snapshot and are dropped; all later events are delivered, so there is no gap.
struct UdevQueue: Hashable, Sendable {
    /// Messages read at once; more wait in the socket.
    static let batch = 64
    /// Events dropped before a snapshot, at most; further ones are delivered, which does no harm.
    static let discardMax = 4_096

    private(set) var isSnapshotDue = true
    /// Whether the socket was left before it was known to be empty.
    private(set) var mayHaveMore = true
    /// How often the kernel dropped events since the start.
    private(set) var overrunCount = 0

    /// Records that there is something to read.
    mutating func recordReadable() { mayHaveMore = true }

    /// Reads events in order; none after an overrun, as a snapshot is due then.
    ///
    /// - Throws: `HotplugError.unavailable` when the socket is of no use any more.
    mutating func receive(_ next: () -> UdevReceipt) throws(HotplugError) -> [HotplugEvent] {
        var events: [HotplugEvent] = []
        for _ in 0..<Self.batch where mayHaveMore {
            switch next() {
            case .properties(let properties):
                HotplugEvent(udevProperties: properties).map { events.append($0) }
            case .ignored: continue
            case .empty: mayHaveMore = false
            case .overrun:
                overrunCount += 1
                isSnapshotDue = true
                return []
            case .failed(let code):
                throw .unavailable(call: "udev_monitor_receive_device", errno: code)
            }
        }
        return events
    }

    /// Empties the socket; the snapshot must be made after that.
    ///
    /// - Throws: `HotplugError.unavailable` when the socket is of no use any more.
    mutating func prepareSnapshot(_ next: () -> UdevReceipt) throws(HotplugError) {
        mayHaveMore = true
        for _ in 0..<Self.discardMax where mayHaveMore {
            switch next() {
            case .properties, .ignored: continue
            case .overrun: overrunCount += 1
            case .empty: mayHaveMore = false
            case .failed(let code):
                throw .unavailable(call: "udev_monitor_receive_device", errno: code)
            }
        }
        isSnapshotDue = false
    }
}
