import ControlProtocol
import Core
import HardwareIO
import Logging

/// Answers requests of pages and other programs about subscribers, and to notify them now.
actor PushSubscriptions {
    /// Time within which PM10 joins the notice about PM2.5 of the same minute.
    private static let joining: Duration = .seconds(30)
    static let bucketFile = "push-buckets"

    /// A notice that was sent, which another pollutant may join.
    private struct Last {
        let subtitle: String
        let instant: MonotonicInstant
        let intervals: Set<Int>
    }

    private let store: SubscriberStore
    private let tasks: PushTasks
    private let runtime: (any CourierFiles)?
    private let clock: any NodeClock
    private let turn: TaskLock
    private var buckets: PushBuckets?
    private var last: Last?
    private var number = 0
    /// Why the subscribers of a card's backup are not restored; nil when there are none to restore.
    private(set) var cardTrouble: String?

    /// - Parameters:
    ///   - runtime: A folder that a start of the machine clears; nil keeps buckets in memory.
    init(
        _ store: SubscriberStore,
        _ tasks: PushTasks,
        runtime: (any CourierFiles)?,
        clock: any NodeClock
    ) {
        (self.store, self.tasks, self.runtime) = (store, tasks, runtime)
        (self.clock, turn) = (clock, TaskLock(clock))
    }

    // MARK: Subscribers

    func key() async throws -> PushKeyReport {
        let key = Base64.url(try await store.serverKey().point)
        return PushKeyReport(key: key, isOffered: !tasks.all(.webpush).isEmpty)
    }

    func report() async throws -> SubscribersReport { try await store.report() }

    func subscribe(_ push: SubscribePush) async throws -> PushChangeReport {
        guard let kind = Subscriber.Kind(rawValue: push.kind) else {
            throw PushMistake("kind", "kind is apns or webpush")
        }
        guard !tasks.all(kind).isEmpty else { throw Self.noReceiver("\(kind)") }
        var subscriber: Subscriber
        switch kind {
        case .apns: subscriber = try Subscriber(token: push.address)
        case .webpush:
            let (key, secret) = (push.p256dh ?? "", push.auth ?? "")
            let endpoint = try PushEndpoint(url: push.address, key: key, secret: secret)
            subscriber = Subscriber(.webPush(endpoint))
        }
        // A subscriber that registers again without an interval keeps the one that it chose.
        let known = try await store.all().first { $0.label == subscriber.label }
        let interval = push.every ?? known?.interval ?? Subscriber.standardInterval
        guard Subscriber.intervals.contains(interval) else {
            throw PushMistake("interval", "interval is 1 minute to 24 hours")
        }
        let language = push.language ?? known?.language ?? "en"
        guard ["en", "de", "it"].contains(language) else {
            throw PushMistake("language", "language is en, de or it")
        }
        (subscriber.interval, subscriber.language) = (interval, language)
        // The seed's form has no date, and stays as its server reads it.
        let isPlain = kind == .apns && interval == Subscriber.standardInterval && language == "en"
        subscriber.since = isPlain ? nil : clock.wallTime
        let change = try await store.put(subscriber)
        for task in tasks.all(kind) where change != .same { await task.wake() }
        return PushChangeReport(change: "\(change)", every: interval)
    }

    // MARK: Backups

    /// - Throws: As `SubscriberStore.all`.
    func backup() async throws -> SubscriberBackup { try await store.backup() }

    /// - Throws: As `SubscriberStore.restore`.
    func restore(_ backup: SubscriberBackup, isTrial: Bool) async throws -> RestoreReport {
        let report = try await store.restore(backup, isTrial: isTrial)
        guard !isTrial else { return report }
        cardTrouble = nil
        for task in tasks.all() { await task.wake() }
        return report
    }

    /// Restores the subscribers that `roost provision` found in a card's backup, once.
    ///
    /// A failure is tried again at the next start, and is in the report until then.
    func takeCard(from files: (any CourierFiles)?, logger: Logger) async {
        guard let files else { return }
        let name = SubscriberBackup.cardFile
        do {
            let bytes = try await files.read(name, limit: SubscriberBackup.byteLimit)
            guard let bytes, !bytes.isEmpty else { return }
            if let backup = try SubscriberBackup(String(decoding: bytes, as: UTF8.self)) {
                _ = try await restore(backup, isTrial: false)
                let count = backup.subscribers.count
                logger.notice("subscribers restored", metadata: ["count": "\(count)"])
            }
            try await files.replace(name, [])
        } catch {
            let reason = (error as? ControlFailure)?.message ?? "\(error)"
            cardTrouble =
                "phones and browsers of the card's backup are not restored: "
                + "\(PlainText.shown(reason, limit: 400)); restore the backup's file on the page"
            let metadata: Logger.Metadata = ["file": "\(name)", "why": "\(error)"]
            logger.error("subscribers not restored", metadata: metadata)
        }
    }

    private static func noReceiver(_ type: String) -> ControlFailure {
        ControlFailure(
            code: .notOffered,
            message: "there is no receiver of type \(type); its owner adds one on the page Alerts"
        )
    }

    func unsubscribe(_ push: UnsubscribePush) async throws -> PushChangeReport {
        guard !push.address.isEmpty else {
            throw PushMistake("address", "address is a token or an endpoint")
        }
        let change = try await store.remove(push.address)
        for task in tasks.all() where change == .removed { await task.wake() }
        return PushChangeReport(change: "\(change)")
    }

    // MARK: Notices of other programs

    /// Sends a notice by the rule of the seed's server: one for each interval, PM10 with PM2.5.
    func notify(_ push: NotifySubscribers) async throws -> PushNotifyReport {
        try await turn.run { try await send(push) }
    }

    private func send(_ push: NotifySubscribers) async throws -> PushNotifyReport {
        let subtitle = try Self.subtitle(push)
        let tasks = tasks.all()
        guard !tasks.isEmpty else {
            throw Self.noReceiver("apns or webpush")
        }
        let now = clock.now
        if let last, push.pollutant == "PM10", last.subtitle.hasPrefix("PM2.5 "),
            now < last.instant.advanced(by: Self.joining)
        {
            self.last = nil
            await send("\(last.subtitle)\n\(subtitle)", to: last.intervals, tasks)
            return PushNotifyReport(isTaken: true)
        }
        let found = Set(try await store.all().map(\.interval))
        let intervals = found.isEmpty ? [Subscriber.standardInterval] : found
        var buckets = try await readBuckets()
        let free = buckets.use(intervals, at: now)
        guard !free.isEmpty else {
            let wait = buckets.wait(intervals, at: now)
            return PushNotifyReport(isTaken: false, retryAfterSeconds: wait)
        }
        try await runtime?.replace(Self.bucketFile, buckets.bytes)
        self.buckets = buckets
        last = Last(subtitle: subtitle, instant: now, intervals: free)
        await send(subtitle, to: free, tasks)
        return PushNotifyReport(isTaken: true)
    }

    private func readBuckets() async throws -> PushBuckets {
        if let buckets { return buckets }
        let bytes = try await runtime?.read(Self.bucketFile, limit: 64 << 10)
        return bytes.map { PushBuckets($0, at: clock.now) } ?? PushBuckets()
    }

    private func send(_ words: String, to intervals: Set<Int>, _ tasks: [PushTask]) async {
        number += 1
        let lines = words.split(separator: "\n").map(String.init)
        let notice = Notice(
            number: number,
            kind: .raised,
            key: "push-server",
            severity: .warning,
            text: ("Air Quality Alert", lines[0], Array(lines.dropFirst())),
            time: clock.wallTime
        )
        for task in tasks { await task.send(notice, to: intervals) }
    }

    /// Makes the subtitle `PM2.5 of 12.3 measured 07:49 AM`.
    private static func subtitle(_ push: NotifySubscribers) throws(PushMistake) -> String {
        let (pollutant, value, time) = (push.pollutant, push.value, push.time)
        guard ["PM2.5", "PM10"].contains(pollutant) else {
            throw PushMistake("pollutant", "pollutant is \"PM2.5\" or \"PM10\"")
        }
        guard (1...16).contains(value.utf8.count), FixedPoint(decimal: value) != nil,
            !value.hasPrefix("-")
        else { throw PushMistake("value", "value is a number as text, like \"12.3\"") }
        let isPlain = time.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        guard isPlain, (1...40).contains(time.utf8.count), time.contains(where: \.isNumber) else {
            throw PushMistake("time", "time is text like \"07:49 AM\"")
        }
        return "\(pollutant) of \(value) measured \(time)"
    }
}
