import ControlProtocol
import Core

/// The phones and browsers that asked for notices, kept encrypted on the card.
///
/// The file is written only when a subscriber is added, changed or removed.
///
/// Bound: `limit` subscribers; one more is refused.
package actor SubscriberStore {
    package static let limit = SubscriberFile.limit
    static let file = "subscribers.data"
    static let keyFile = "key.key"
    static let serverKeyFile = "vapid.key"

    /// Result of a change to the subscribers.
    package enum Change: Hashable, Sendable {
        case added, changed, same, removed, notThere
    }

    private struct Entry {
        var subscriber: Subscriber
        var line: String
    }

    private let files: any CourierFiles
    private let turn: TaskLock
    private var key: [UInt8]?
    private var serverKey: CurveKey?
    private var entries: [String: Entry] = [:]
    /// Addresses in the order of subscription.
    private var order: [String] = []
    /// Lines that could not be used when the file was read; the next change leaves them out.
    package private(set) var faults: [SubscriberFile.Fault] = []
    private var isRead = false

    package init(_ files: any CourierFiles, clock: any NodeClock) {
        (self.files, turn) = (files, TaskLock(clock))
    }

    /// Lists the subscribers of a kind in the order of subscription; nil for all kinds.
    ///
    /// - Throws: `CourierFilesError`, `CryptoFailure`; `CancellationError`.
    package func all(_ kind: Subscriber.Kind? = nil) async throws -> [Subscriber] {
        _ = try await turn.run { try await open() }
        let all = order.compactMap { entries[$0]?.subscriber }
        return kind.map { kind in all.filter { $0.kind == kind } } ?? all
    }

    /// Adds a subscriber, or changes the one with the same address.
    ///
    /// - Throws: `PushMistake` at the limit; as `all`.
    package func put(_ subscriber: Subscriber) async throws -> Change {
        try await turn.run {
            let key = try await open()
            let address = subscriber.address
            let old = entries[address]?.subscriber
            var next = subscriber
            next.since = old?.since ?? subscriber.since
            guard next != old else { return .same }
            guard old != nil || entries.count < Self.limit else {
                throw PushMistake("ID", "\(Self.limit) subscribers are the limit")
            }
            let line = try SubscriberFile.line(of: next, key: key)
            let places = old == nil ? order + [address] : order
            try await write(places) { $0 == address ? line : entries[$0]?.line }
            entries[address] = Entry(subscriber: next, line: line)
            order = places
            return old == nil ? .added : .changed
        }
    }

    /// Removes a subscriber, by its address.
    ///
    /// - Throws: As `all`.
    package func remove(_ address: String) async throws -> Change {
        try await turn.run {
            try await open()
            guard entries[address] != nil else { return .notThere }
            let places = order.filter { $0 != address }
            try await write(places) { entries[$0]?.line }
            entries[address] = nil
            order = places
            return .removed
        }
    }

    /// Imports the subscribers of another file, such as the seed's `tokens.data`.
    ///
    /// - Parameters:
    ///   - other: The bytes of its `key.key`.
    /// - Returns: How many are new, and the lines that could not be used.
    /// - Throws: `PushMistake` for a key of another size; as `all`.
    package func merge(
        _ bytes: [UInt8],
        key other: [UInt8]
    ) async throws -> (added: Int, faults: [SubscriberFile.Fault]) {
        guard other.count == SubscriberFile.keySize else {
            throw PushMistake("key", "a key has 32 bytes, not \(other.count)")
        }
        return try await turn.run {
            let key = try await open()
            let (found, faults) = SubscriberFile.read(bytes, key: other)
            let room = Self.limit - entries.count
            let new = found.map(\.subscriber).filter { entries[$0.address] == nil }.prefix(room)
            guard !new.isEmpty else { return (0, faults) }
            var lines: [String: Entry] = [:]
            for subscriber in new {
                let line = try SubscriberFile.line(of: subscriber, key: key)
                lines[subscriber.address] = Entry(subscriber: subscriber, line: line)
            }
            let (added, places) = (lines, order + new.map(\.address))
            try await write(places) { added[$0]?.line ?? entries[$0]?.line }
            entries.merge(added) { _, new in new }
            order = places
            return (new.count, faults)
        }
    }

    /// Exports the phones in the format of the seed's server, under a new key.
    ///
    /// - Throws: As `all`.
    package func export() async throws -> (bytes: [UInt8], key: [UInt8], count: Int) {
        let key = try CourierCrypto.random(SubscriberFile.keySize)
        let lines = try await all(.apns).map { subscriber in
            // The seed's server only knows tokens.
            try SubscriberFile.line(of: Subscriber(token: subscriber.address), key: key)
        }
        return (SubscriberFile.bytes(lines), key, lines.count)
    }

    /// Returns the station's key for push services; makes it at the first call.
    ///
    /// - Throws: As `all`.
    func serverKey() async throws -> CurveKey {
        try await turn.run {
            if let serverKey { return serverKey }
            let found = try await files.read(Self.serverKeyFile, limit: 32)
            let made: CurveKey
            if let found {
                made = try CurveKey(secret: found)
            } else {
                made = try CurveKey()
                try await files.replace(Self.serverKeyFile, made.secret)
            }
            serverKey = made
            return made
        }
    }

    /// Lists the subscribers without their addresses.
    ///
    /// - Throws: As `all`.
    package func report() async throws -> SubscribersReport {
        let all = try await all()
        let entries = all.prefix(SubscribersReport.entryLimit).map { subscriber in
            let host: String
            switch subscriber.way {
            case .apns: host = "Apple"
            case .webPush(let endpoint): host = endpoint.host
            }
            return SubscribersReport.Entry(
                label: subscriber.label,
                kind: subscriber.kind.rawValue,
                host: host,
                every: subscriber.interval,
                language: subscriber.language,
                since: subscriber.since?.iso8601
            )
        }
        let faults = faults.prefix(20).map(\.description)
        return SubscribersReport(subscribers: entries, count: all.count, faults: faults)
    }

    /// Makes the report of a folder without changing it: a folder without a list gets no key.
    ///
    /// - Throws: As `all`.
    package func reportOfFolder() async throws -> SubscribersReport {
        guard try await files.read(Self.file, limit: SubscriberFile.byteLimit) != nil else {
            return SubscribersReport(subscribers: [], count: 0, faults: [])
        }
        return try await report()
    }

    // MARK: Backups

    /// All subscribers, with the key that browsers need; nothing is made where there are none.
    ///
    /// - Throws: As `all`.
    func backup() async throws -> SubscriberBackup {
        guard try await files.read(Self.file, limit: SubscriberFile.byteLimit) != nil else {
            return SubscriberBackup(key: nil, [])
        }
        let all = try await all()
        let hasBrowsers = all.contains { $0.kind == .webpush }
        return SubscriberBackup(key: hasBrowsers ? try await serverKey() : nil, all)
    }

    /// Puts the subscribers of a backup beside those that are here, with the key of its browsers.
    ///
    /// - Throws: `ControlFailure` beyond the limit; as `all`.
    func restore(_ backup: SubscriberBackup, isTrial: Bool) async throws -> RestoreReport {
        try await turn.run {
            // A look makes no key.
            let isThere = try await files.read(Self.file, limit: SubscriberFile.byteLimit) != nil
            if isThere { try await open() }
            let present = order.compactMap { entries[$0]?.subscriber }
            let other = try await files.read(Self.serverKeyFile, limit: 32)
                .map { try CurveKey(secret: $0) }
            let (next, report) = try backup.merged(with: present, other)
            let own = backup.key.flatMap { $0 == other ? nil : $0 }
            let isNew = own != nil || report.items.contains { $0.change != .same }
            guard !isTrial, isNew else { return report }
            let key = try await open()
            var lines: [String: Entry] = [:]
            for one in next {
                let known = entries[one.address].flatMap { $0.subscriber == one ? $0.line : nil }
                let line = try known ?? SubscriberFile.line(of: one, key: key)
                lines[one.address] = Entry(subscriber: one, line: line)
            }
            let (written, places) = (lines, next.map(\.address))
            try await write(places) { written[$0]?.line }
            (entries, order) = (written, places)
            // The key comes last: where it cannot be written, another restore writes it. A key that
            // comes before its list would leave the browsers that are here without notices.
            if let own {
                try await files.replace(Self.serverKeyFile, own.secret)
                serverKey = own
            }
            return report
        }
    }

    // MARK: The file

    /// Reads the file at the first use.
    @discardableResult private func open() async throws -> [UInt8] {
        if isRead, let key { return key }
        let key = try await readKey()
        let limit = SubscriberFile.byteLimit
        if let bytes = try await files.read(Self.file, limit: limit) {
            let (found, faults) = SubscriberFile.read(bytes, key: key)
            guard !found.isEmpty || faults.isEmpty else {
                // Refuse: the next change would overwrite lines that another key still opens.
                throw CourierFilesError(
                    "\(Self.keyFile) opens no line of \(Self.file): put the right key back, or "
                        + "remove \(Self.file), and all subscribe again"
                )
            }
            self.faults = faults
            order = found.map(\.subscriber.address)
            for (subscriber, line) in found {
                entries[subscriber.address] = Entry(subscriber: subscriber, line: line)
            }
        }
        (self.key, isRead) = (key, true)
        return key
    }

    private func readKey() async throws -> [UInt8] {
        if let bytes = try await files.read(Self.keyFile, limit: SubscriberFile.keySize) {
            guard bytes.count == SubscriberFile.keySize else {
                throw CourierFilesError("\(Self.keyFile) has \(bytes.count) bytes, not 32")
            }
            return bytes
        }
        guard try await files.read(Self.file, limit: SubscriberFile.byteLimit) == nil else {
            throw CourierFilesError(
                "\(Self.file) is there and its \(Self.keyFile) is not: put the key back, or remove "
                    + "\(Self.file), and all subscribe again"
            )
        }
        let key = try CourierCrypto.random(SubscriberFile.keySize)
        try await files.replace(Self.keyFile, key)
        return key
    }

    private func write(_ places: [String], _ line: (String) -> String?) async throws {
        try await files.replace(Self.file, SubscriberFile.bytes(places.compactMap(line)))
    }
}
