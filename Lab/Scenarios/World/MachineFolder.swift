import Core
import HardwareIO
import SimulationKit

/// The settings beside the store of a simulated machine: nothing changes after its end, nor while
/// its card takes nothing.
///
/// Unchecked: one simulation is one thread.
struct MachineFolder: FolderFiles, @unchecked Sendable {
    unowned let machine: Machine

    private var files: SimulatedFolder { machine.world.settings }

    private func demandCard(_ name: String) throws(StorageError) {
        let refusing: [FaultKind] = [.cardFull, .cardReadOnly, .cardError, .failingWrites]
        let isRefused = refusing.contains { machine.world.isOpen($0, at: machine.now) }
        if machine.isDead || isRefused { throw .failed(call: "write", errno: 5, path: name) }
    }

    func read(_ name: String) throws(StorageError) -> [UInt8]? { try files.read(name) }

    func write(_ name: String, _ bytes: [UInt8]) throws(StorageError) {
        try demandCard(name)
        try files.write(name, bytes)
    }

    func sync(_ name: String) throws(StorageError) {
        try demandCard(name)
        try files.sync(name)
    }

    func link(_ name: String, as other: String) throws(StorageError) {
        try demandCard(name)
        try files.link(name, as: other)
    }

    func rename(_ name: String, to other: String) throws(StorageError) {
        try demandCard(name)
        try files.rename(name, to: other)
    }

    func remove(_ name: String) throws(StorageError) {
        try demandCard(name)
        try files.remove(name)
    }

    func syncFolder() throws(StorageError) {
        try demandCard("settings")
        try files.syncFolder()
    }
}

extension World {
    /// Leaves the settings as a power cut may leave them.
    func cutSettings(at now: MonotonicInstant) {
        var chance = dice(at: now)
        settings = settings.afterCut(chance.index(settings.cutCount))
    }
}
