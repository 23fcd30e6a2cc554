import HardwareIO
import Station
import Synchronization

/// A file that arrives in memory; it has no path that another program could open.
final class SimulatedArrivingFile: ArrivingFile {
    private struct State {
        var bytes: [UInt8] = []
        var error: StorageError?
    }

    let path = "import.part"
    private let state = Mutex(State())

    var byteCount: Int { state.withLock { $0.bytes.count } }

    /// Refuses the next pieces; nil takes them again.
    func refuse(with error: StorageError?) { state.withLock { $0.error = error } }

    func add(_ bytes: [UInt8], isFirst: Bool) throws(StorageError) {
        let error = state.withLock { state in
            if state.error == nil { state.bytes = isFirst ? bytes : state.bytes + bytes }
            return state.error
        }
        if let error { throw error }
    }

    func piece(at place: Int, count: Int) throws(StorageError) -> [UInt8] {
        state.withLock { Array($0.bytes.dropFirst(place).prefix(count)) }
    }

    func remove() { state.withLock { $0.bytes = [] } }
}
