import CSQLite
import Synchronization

/// Ends what a connection is doing, from any thread.
final class Interrupter: Sendable {
    /// The address of the open handle; nil once it is closed, so that no dead one is touched.
    private let address: Mutex<UInt?>

    init(_ handle: OpaquePointer?) { address = Mutex(handle.map { UInt(bitPattern: $0) }) }

    /// Makes the statement that runs now, if any, throw `SQLITE_INTERRUPT`.
    func interrupt() {
        address.withLock { address in
            guard let address, let handle = OpaquePointer(bitPattern: address) else { return }
            sqlite3_interrupt(handle)
        }
    }

    func forget() { address.withLock { $0 = nil } }

    func remember(_ handle: OpaquePointer) {
        address.withLock { $0 = UInt(bitPattern: handle) }
    }
}
