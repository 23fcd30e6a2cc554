import Logging
import SQLite
import Synchronization

/// Writes down who looked at pictures: one line of the audit for each person and hour.
///
/// The line is written before the first picture of the hour is sent. It counts the pictures: it is
/// written again at each power of two, when the audit is read, and when the dashboard ends, so
/// that a page of a hundred pictures costs the card seven lines and not a hundred.
package final class PictureAccessLog: Sendable {
    private static let hour = 3_600.0

    /// The kind of picture that a person looked at.
    enum Look: Hashable, Sendable {
        /// A picture, by its number.
        case picture(UInt64)
        case live
    }

    /// Pictures and the live picture of a person have lines of their own.
    private struct Key: Hashable {
        let account: Int64
        let isLive: Bool
    }

    private struct Hour {
        let action: AuditAction
        let begun: Double
        /// The line; nil until it is written.
        var row: Int64?
        var count = 0
        var lowest: UInt64
        var highest: UInt64
        var written = 0

        var text: String {
            guard action == .pictures else { return "\(count) ×" }
            let numbers = lowest == highest ? "\(lowest)" : "\(lowest)–\(highest)"
            return "\(count) × (\(numbers))"
        }
    }

    private let database: WebDatabase
    private let clock: WebClock
    private let logger: Logger
    /// There are few.
    private let hours = Mutex<[Key: Hour]>([:])

    init(_ database: WebDatabase, clock: WebClock, logger: Logger) {
        (self.database, self.clock, self.logger) = (database, clock, logger)
    }

    private enum Act {
        /// A new line, and what the one before it does not say yet.
        case add(before: Hour?)
        case update
        case none
    }

    /// Notes that a person is sent a picture, or begins to watch the live one.
    ///
    /// A line that cannot be written is logged.
    func record(_ look: Look, _ request: WebRequest) async {
        guard let identity = request.identity else { return }
        let key = Key(account: identity.account, isLive: look == .live)
        var picture: UInt64 = 0
        if case .picture(let number) = look { picture = number }
        let now = clock.uptime()
        let act = hours.withLock { hours -> Act in
            if let known = hours[key], now - known.begun < Self.hour {
                var hour = known
                hour.count += 1
                (hour.lowest, hour.highest) = (
                    min(hour.lowest, picture), max(hour.highest, picture)
                )
                hours[key] = hour
                return hour.row != nil && hour.count & (hour.count - 1) == 0 ? .update : .none
            }
            let before = hours[key]
            hours[key] = Hour(
                action: key.isLive ? .livePicture : .pictures,
                begun: now,
                count: 1,
                lowest: picture,
                highest: picture
            )
            return .add(before: before)
        }
        switch act {
        case .add(let before):
            await add(key, identity.name, request.peer.text)
            if let before { await write(before) }
        case .update: await update(key)
        case .none: break
        }
    }

    private func add(_ key: Key, _ actor: String, _ address: String) async {
        guard let hour = hours.withLock({ $0[key] }) else { return }
        let record = AuditRecord(
            time: clock.seconds(),
            actor: actor,
            action: hour.action,
            target: hour.text,
            address: address
        )
        do {
            let row = try await database.run { try AuditTable(connection: $0).add(record) }
            hours.withLock {
                $0[key]?.row = row
                $0[key]?.written = hour.count
            }
        } catch {
            // The next look tries again.
            hours.withLock { $0[key] = nil }
            logger.warning("the audit lacks pictures \(hour.text): \(error)")
        }
    }

    private func update(_ key: Key) async {
        guard let hour = hours.withLock({ $0[key] }), await write(hour) else { return }
        hours.withLock { $0[key]?.written = hour.count }
    }

    /// Writes a line's present count.
    ///
    /// - Returns: Whether it is written now, and was not before.
    @discardableResult
    private func write(_ hour: Hour) async -> Bool {
        guard let row = hour.row, hour.count != hour.written else { return false }
        do {
            try await database.run {
                try AuditTable(connection: $0).change(row, target: hour.text)
            }
            return true
        } catch {
            logger.warning("the audit lacks pictures \(hour.text): \(error)")
            return false
        }
    }

    /// Writes all present counts: before the audit is read, and at the end.
    package func flush() async {
        for key in hours.withLock({ Array($0.keys) }) { await update(key) }
    }
}
