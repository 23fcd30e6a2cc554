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

extension StoreClient {
    /// Whether settings can be read and written.
    var isOpen: Bool { opened != nil }

    /// All settings; none before the store is open.
    func settings() async throws -> [String: String] { try await opened?.all() ?? [:] }

    /// Changes a setting; nothing before the store is open.
    ///
    /// - Throws: `StoreError`: 64 settings there are, and 600 bytes of one with its key.
    func set(_ key: String, to value: String?) async throws {
        try await opened?.set(key, value)
    }

    /// Stores mutes and mode; does nothing before the store is open, since opening stores them.
    func settleMutes() async throws {
        guard let opened else { return }
        // First: until the mode is known, nothing follows the store.
        try await context.modes.settle(opened, in: context, since: startedAt) { boot in
            try await newest(of: boot)
        }
        try await context.mutes.settle(opened)
    }
}
