import Core
import Synchronization

/// A sink that keeps everything, for tests and for looking at afterwards.
///
/// Bounded by `capacity` of each kind; at the bound the newest are dropped and counted.
package final class RecordingSink: ReadingSink {
    private struct State {
        var samples: [[Reading]] = []
        var events: [Event] = []
        var droppedCount = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    package init(capacity: Int = 1_000_000) { self.capacity = capacity }

    package func accept(_ readings: [Reading]) {
        state.withLock { state in
            if state.samples.count < capacity {
                state.samples.append(readings)
            } else {
                state.droppedCount += 1
            }
        }
    }

    package func record(_ event: Event) {
        state.withLock { state in
            if state.events.count < capacity {
                state.events.append(event)
            } else {
                state.droppedCount += 1
            }
        }
    }

    /// Readings that were accepted together, in order.
    package var samples: [[Reading]] { state.withLock { $0.samples } }
    package var readings: [Reading] { state.withLock { Array($0.samples.joined()) } }
    package var events: [Event] { state.withLock { $0.events } }
    package var droppedCount: Int { state.withLock { $0.droppedCount } }

    /// The readings of one quantity.
    package func readings(of quantity: Quantity) -> [Reading] {
        readings.filter { $0.channel.quantity == quantity }
    }

    /// The kinds of the events, in order.
    var eventKinds: [String] { events.map(\.kind.name) }
}
