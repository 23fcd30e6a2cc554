import ControlProtocol
import Core
import HardwareIO

/// Names of found devices and hours of lasers of a backup, on their way into the store.
struct RestoredRecords {
    let store: StoreClient
    let context: StationContext

    private var lasers: LaserHours { context.lasers }

    /// Puts them into the store, which is open.
    func apply(_ part: StationPart) async throws {
        let settings = try await store.settings()
        for (key, value) in part.names.sorted(by: { $0.key < $1.key })
        where key.hasPrefix(DeviceRegistry.keyPrefix) && settings[key] != value {
            try await store.set(key, to: value)
        }
        let now = context.clock.now
        lasers.load(settings, at: now)
        lasers.restore(part.laserSeconds, at: now)
        guard let due = lasers.due(at: now, isLast: true) else { return }
        for (key, value) in due { try await store.set(key, to: value) }
        lasers.saved(due, at: now)
    }

    /// Applies those that a card brought, once.
    ///
    /// - Parameter folder: The store's.
    func applyCard(in folder: String) async throws {
        let platform = context.platform
        let bytes = try await platform.onDisk {
            try platform.files(in: folder).read(StationPart.file)
        }
        guard let bytes else { return }
        try await apply(try ControlCodec.message(from: String(decoding: bytes, as: UTF8.self)))
        try await platform.onDisk {
            let files = platform.files(in: folder)
            try files.remove(StationPart.file)
            try files.syncFolder()
        }
    }
}
