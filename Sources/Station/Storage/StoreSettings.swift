import Store

/// What others than its writer may do with the open store.
struct StoreSettings: Sendable {
    let all: @Sendable () async throws -> [String: String]
    let set: @Sendable (_ key: String, _ value: String?) async throws -> Void
    /// Merges values of other programs' series, of one value each.
    let merge: @Sendable ([ImportedSample]) async throws -> [MergedValue]
}

extension StoreSettings {
    /// Those of a store, reached on the disk thread.
    init(_ platform: any Platform, _ vault: LockedStore) {
        all = { try await platform.onDisk { try vault.use { try $0.settings() } } }
        set = { key, value in
            try await platform.onDisk { try vault.use { try $0.set(key, to: value) } }
        }
        merge = { samples in
            try await platform.onDisk { try vault.use { try $0.merge(samples) } }
        }
    }
}

extension StoreClient {
    /// Whether settings can be read and written.
    var isOpen: Bool { opened != nil }
}
