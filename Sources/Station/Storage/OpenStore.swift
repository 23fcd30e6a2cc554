import ControlProtocol
import Core
import Store

/// Operations on the open store for parts other than its writer; each runs on the disk thread.
struct OpenStore: Sendable {
    let platform: any Platform
    let store: LockedStore

    func settings() async throws -> [String: String] { try await use { try $0.settings() } }

    func set(_ key: String, _ value: String?) async throws {
        try await use { try $0.set(key, to: value) }
    }

    /// Merges values of other programs' series, of one value each.
    func merge(_ samples: [ImportedSample]) async throws -> [MergedValue] {
        try await use { try $0.merge(samples) }
    }

    /// Goes on a little with the import of a file.
    func importing(_ run: FileImportRun) async throws -> ImportedFileReport {
        try await use { try run.advance($0) }
    }

    /// Reads blocks that wait for the history, newer than one and at most so many.
    func waiting(after sequence: UInt64, limit: Int, in boot: BootID) async throws -> JournalPage {
        try await use { $0.waiting(after: sequence, limit: limit, in: boot) }
    }

    /// Reads the newest durable sample of a boot.
    func newest(of boot: BootID) async throws -> Tick? {
        try await use { try $0.newest(of: boot) }
    }

    /// Reads what alerts need of the past.
    func past(_ question: AlertHistory.Question) async throws -> AlertHistory {
        try await use { try AlertHistory(question, $0) }
    }

    /// Reads when CO₂ sensors last had fresh air.
    func freshAir(_ query: FreshAirQuery) async throws -> FreshAirQuery.Answer {
        try await use { try query.run($0) }
    }

    private func use<Value: Sendable>(
        _ body: @escaping @Sendable (StationStore) throws -> Value
    ) async throws -> Value {
        try await platform.onDisk { [store] in try store.use(body) }
    }
}
