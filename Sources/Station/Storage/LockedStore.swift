import HardwareIO
import Store
import Synchronization

/// Holds the store between two visits of the disk thread.
///
/// Unchecked: journal and history are plain objects that may not be shared, and the lock is all
/// that ever reaches them.
final class LockedStore: @unchecked Sendable {
    private let lock = Mutex(())
    private var store: StationStore?
    private var hold: (any StoreClaim)?
    /// Slots that refused a write in any store that was open here.
    private var badSlots = JournalBadSlots()

    /// Closes what is open, ignoring errors, and locks the folder again; only on the disk thread.
    func claim(_ take: () throws -> any StoreClaim) throws -> StoreID {
        try lock.withLock { _ in
            closeStore()
            hold = nil
            let taken = try take()
            hold = taken
            return taken.id
        }
    }

    /// Opens the store in the locked folder; only on the disk thread.
    ///
    /// When that fails the folder is given back: a card can be unmounted then.
    func open(_ make: (JournalBadSlots) throws -> StationStore) throws -> StationStore.Opening {
        try lock.withLock { _ in
            guard hold != nil else { throw StoreError.storage(.absent(path: "store")) }
            closeStore()
            do {
                let opened = try make(badSlots)
                store = opened
                return opened.opening
            } catch {
                hold = nil
                throw error
            }
        }
    }

    /// Closes what is open and gives the folder back; only on the disk thread.
    func close() throws {
        try lock.withLock { _ in
            defer { (store, hold) = (nil, nil) }
            try store?.close()
        }
    }

    /// Uses the store; only on the disk thread.
    func use<Value: Sendable>(_ body: (StationStore) throws -> Value) throws -> Value {
        try lock.withLock { _ in
            guard let store else { throw StoreError.storage(.absent(path: "store")) }
            return try body(store)
        }
    }

    private func closeStore() {
        if let store { badSlots = store.badSlots }
        try? store?.close()
        store = nil
    }
}
