import Core
import Store

/// Operations on the open store for parts other than its writer.
struct StoreSettings: Sendable {
    let all: @Sendable () async throws -> [String: String]
    let set: @Sendable (_ key: String, _ value: String?) async throws -> Void
    /// Merges values of other programs' series, of one value each.
    let merge: @Sendable ([ImportedSample]) async throws -> [MergedValue]
}

extension StoreSettings {
    /// Settings of a store, read and written on the disk thread.
    init(_ platform: any Platform, _ store: LockedStore) {
        all = { try await platform.onDisk { try store.use { try $0.settings() } } }
        set = { key, value in
            try await platform.onDisk { try store.use { try $0.set(key, to: value) } }
        }
        merge = { samples in
            try await platform.onDisk { try store.use { try $0.merge(samples) } }
        }
    }
}
