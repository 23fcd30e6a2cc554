import Logging
import Synchronization

/// Writes down who looked at pictures: one line of the audit for each person and hour.
///
/// The line is written before the first picture of the hour is sent.
package final class PictureAccessLog: Sendable {
    private static let hour = 3_600.0

    /// Pictures and the live picture of a person have lines of their own.
    private struct Key: Hashable {
        let account: Int64
        let action: AuditAction
    }

    private let database: WebDatabase
    private let clock: WebClock
    private let logger: Logger
    // When the hour of the newest line began. Bound: two for each account.
    private let hours = Mutex<[Key: Double]>([:])

    init(_ database: WebDatabase, clock: WebClock, logger: Logger) {
        (self.database, self.clock, self.logger) = (database, clock, logger)
    }

    /// Writes that a person is sent a picture, or begins to watch the live one.
    ///
    /// A line that cannot be written is logged, and the next picture tries again.
    func record(_ action: AuditAction, _ request: WebRequest) async {
        guard let identity = request.identity else { return }
        let key = Key(account: identity.account, action: action)
        let now = clock.uptime()
        let isNew = hours.withLock { hours in
            if let begun = hours[key], now - begun < Self.hour { return false }
            hours[key] = now
            return true
        }
        guard isNew else { return }
        let record = AuditRecord(
            time: clock.seconds(),
            actor: identity.name,
            action: action,
            target: "",
            address: request.peer.text
        )
        do {
            try await database.run { try AuditTable(connection: $0).add(record) }
        } catch {
            hours.withLock { $0[key] = nil }
            logger.warning("the audit lacks who looked (\(action.rawValue)): \(error)")
        }
    }
}
