import HardwareIO
import Station

/// The memory of one machine that several processes share, and who of them has which store.
///
/// Outlives the processes, not the boot. Unchecked: one simulation is one thread.
package final class SimulatedMemory: @unchecked Sendable {
    private var files: [String: SimulatedSharedMemory] = [:]
    private var claims: [String: Held] = [:]

    /// A lock is held for as long as its process keeps the claim.
    private struct Held {
        let process: ObjectIdentifier
        weak var claim: SimulatedStoreClaim?
    }

    package init() {}

    /// The names of the files in it.
    package var names: [String] { files.keys.sorted() }

    /// The file of that name, made when there is none.
    package func open(_ name: String, byteCount: Int) -> SimulatedSharedMemory {
        let file = files[name] ?? SimulatedSharedMemory(byteCount: byteCount)
        files[name] = file
        return file
    }

    func claim(
        _ folder: String,
        by process: SimulatedPlatform
    ) throws(StorageError) -> SimulatedStoreClaim {
        if let known = claims[folder], let claim = known.claim {
            guard known.process == ObjectIdentifier(process) else {
                throw .held(path: folder, holder: "roostd (pid 4711)")
            }
            return claim
        }
        let claim = SimulatedStoreClaim(folder)
        claims[folder] = Held(process: ObjectIdentifier(process), claim: claim)
        return claim
    }

    /// Whether a process holds the store in this folder.
    func isClaimed(_ folder: String) -> Bool { claims[folder]?.claim != nil }

    /// Gives back what a process had, as the kernel does at its end.
    package func end(_ process: SimulatedPlatform) {
        claims = claims.filter { $0.value.process != ObjectIdentifier(process) }
    }
}

/// A store that is known by the name of its folder.
package final class SimulatedStoreClaim: StoreClaim {
    package let id: StoreID

    package init(_ folder: String) { id = StoreID(of: folder.utf8.map(UInt64.init)) }
}
