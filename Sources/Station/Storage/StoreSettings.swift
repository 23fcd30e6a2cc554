/// Reads and writes the store's settings.
struct StoreSettings: Sendable {
    let all: @Sendable () async throws -> [String: String]
    let set: @Sendable (_ key: String, _ value: String?) async throws -> Void
}
