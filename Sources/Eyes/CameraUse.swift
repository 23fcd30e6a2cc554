import Core
import Synchronization

/// Whether the camera is in use, by a picture of a motion or by the live picture.
package final class CameraUse: Sendable {
    private let count = Mutex(0)
    /// Raised at each start and end of a use.
    package let hasChanged = Signal()

    package init() {}

    package var isOn: Bool { count.withLock { $0 > 0 } }

    package func begin() { change(by: 1) }
    package func end() { change(by: -1) }

    /// Marks the camera as in use while `body` runs.
    package func during<Value>(
        _ body: () throws(CaptureError) -> Value
    ) throws(CaptureError) -> Value {
        begin()
        defer { end() }
        return try body()
    }

    private func change(by one: Int) {
        count.withLock { $0 += one }
        hasChanged.raise()
    }
}
