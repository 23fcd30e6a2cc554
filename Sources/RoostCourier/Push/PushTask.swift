import Alerts
import ControlProtocol
import Core
import Runtime
import StoreQueries

/// Sends notices to the subscribers of one kind, at most `perSecond` messages a second.
///
/// A `NoticePlanner` for each interval decides which.
///
/// Subscribers with one interval form a group with one token bucket; a new one gets the group's
/// next notice. A push service that fails is not asked for a while, and the others go on. A message
/// that cannot be delivered for four hours is dropped.
actor PushTask: DeliveryTask {
    /// Time between two messages; 10 a second.
    private static let pause: Duration = .milliseconds(100)
    private static let promise: Duration = .seconds(1_800)
    private static let tolerance: Duration = .seconds(1)
    /// Time after which a file that could not be read is tried again.
    private static let look: Duration = .seconds(30)
    /// Messages under way at most; further ones wait in their planner.
    private static let fanoutLimit = 64

    private let id: String
    private let receiver: PushReceiver
    private let options: ReceiverOptions
    private let world: NoticeTask.World
    private let loop: DeliveryLoop
    private let wakeUp = Signal()
    private var planners: [Int: NoticePlanner] = [:]
    private var groups: [Int: [Subscriber]] = [:]
    private var fanouts: [PushBroadcast] = []
    private var services: PushServices
    private var cursor = PushCursor()
    /// Sentences of the station's owner, by rule and language, as `AlertHub` has them.
    private var words: [String: [String: String]] = [:]
    /// The alerts as they were when the newest notice was written.
    private var present = PresentAlerts()
    private var isReady = false
    private var isChanged = false
    /// Time until which planned alerts wait, and why; nil while none waits.
    private var waits: (until: MonotonicInstant?, why: NoticePlanner.Delay?)?
    private var bookTrouble: DeliveryReason?
    private var lastTrouble: DeliveryReason?
    private var delivery = DeliveryStanding()
    private var sent = SentNotices()

    /// Makes a task that has not begun.
    ///
    /// - Parameters:
    ///   - id: The receiver's, from the configuration.
    ///   - receiver: The way and the subscribers.
    ///   - options: Which notices are sent and when; each subscriber has its own interval.
    ///   - seed: For the random part of the back-off.
    init(
        id: String,
        _ receiver: PushReceiver,
        _ options: ReceiverOptions,
        seed: UInt64,
        in world: NoticeTask.World,
        heartbeat: Heartbeat
    ) {
        (self.id, self.receiver, self.options) = (id, receiver, options)
        self.world = world
        loop = DeliveryLoop(heartbeat: heartbeat, clock: world.clock, promise: Self.promise)
        services = PushServices(seed: seed)
    }

    nonisolated var kind: Subscriber.Kind { receiver.sender.kind }

    var standing: NoticeTask.Standing {
        let waiting = planners.values.map(\.waitingCount).max() ?? 0
        let open = fanouts.reduce(0) { $0 + $1.waitingCount }
        var delivery = delivery
        delivery.held = services.held
        delivery.trouble = bookTrouble ?? services.trouble ?? lastTrouble
        delivery.isWaiting = waiting + open > 0
        delivery.nextTry = services.nextOpening(after: world.clock.now) ?? waits?.until
        delivery.refusals = services.asides.refusals("messages", Self.name)
        delivery.waitsFor = waits?.why?.reason
        let counts = NoticeCounts(
            sent: cursor.sentCount,
            waiting: waiting + open,
            omitted: planners.values.map(\.omittedCount).max() ?? 0,
            latest: sent.report(at: world.clock.now)
        )
        return NoticeTask.Standing(notices: counts, delivery: delivery)
    }

    nonisolated var canWait: Bool { false }

    func fill(_ report: inout OutboxReport) {
        standing.fill(&report, at: world.clock.now)
    }

    /// Tries at once to send whatever waits.
    func wake(within time: Duration = .zero) {
        services.open(within: time, at: world.clock.now)
        wakeUp.raise()
    }

    /// Sends a notice of another program to subscribers with these intervals.
    func send(_ notice: Notice, to intervals: Set<Int>) {
        for interval in intervals.sorted() {
            // A later notice about the same alert replaces one that is under way.
            fanouts.removeAll { fanout in
                guard case .notice(let old) = fanout.content else { return false }
                return fanout.interval == interval && old.key == notice.key
            }
            guard let subscribers = groups[interval], fanouts.count < Self.fanoutLimit else {
                continue
            }
            let now = world.clock.now
            var fanout = PushBroadcast(
                .notice(notice),
                notice.severity,
                to: subscribers,
                interval: interval,
                at: now
            )
            for language in fanout.languages { fanout.texts[language] = [notice] }
            fanouts.append(fanout)
        }
        wakeUp.raise()
    }

    func run() async throws {
        try await loop.run(turn, rest: rest) { delivery.sourceTrouble = $0 }
    }

    private func turn() async throws -> MonotonicInstant? {
        guard try await begin(), try await readSubscribers() else {
            return world.clock.now.advanced(by: Self.look)
        }
        let deadline = try await plan()
        guard try await !sendOne() else {
            try await world.clock.sleep(for: Self.pause)
            return nil
        }
        try await keep()
        let now = world.clock.now
        let opening = fanouts.isEmpty ? nil : services.nextOpening(after: now)
        return [deadline, opening, now.advanced(by: Self.promise / 2)].compactMap(\.self).min()
    }

    private func rest(until deadline: MonotonicInstant) async throws {
        let (hub, number) = (world.hub, planners.values.map(\.lastNumber).min() ?? .max)
        let place = min(number, await hub.newest)
        _ = try await world.clock.run(unless: wakeUp) {
            try await hub.wait(after: place, until: deadline, tolerance: Self.tolerance)
        }
    }

    private static func name(_ label: String) -> String { "the messages of subscriber \(label)" }

    // MARK: Subscribers

    /// Resumes where an earlier process was.
    private func begin() async throws -> Bool {
        guard await world.hub.isReady, !isReady else { return isReady }
        let (found, lost) = try await world.cursors.cursor(of: id, PushCursor.init(_:))
        if let found { cursor = found }
        sent = SentNotices(cursor.groups.flatMap(\.told))
        if let lost {
            (delivery.cursorLost, isChanged) = ("\(lost)", true)
            world.tell(id, .cursorLost("\(lost)"))
        }
        isReady = true
        return true
    }

    /// Reads the subscribers; each interval has a planner.
    private func readSubscribers() async throws -> Bool {
        let all: [Subscriber]
        do { all = try await receiver.store.all(kind) } catch let error as CancellationError {
            throw error
        } catch {
            bookTrouble = DeliveryReason("subscribers", "\(error)")
            return false
        }
        bookTrouble = nil
        services.keep(Set(all.map(\.label)))
        groups = Dictionary(grouping: all, by: \.interval)
        for interval in planners.keys where groups[interval] == nil { planners[interval] = nil }
        for interval in groups.keys where planners[interval] == nil {
            planners[interval] = await planner(interval)
        }
        return true
    }

    private func planner(_ interval: Int) async -> NoticePlanner {
        var options = options
        options.every = .seconds(interval)
        if options.remindsAtInterval { options.remind = options.every }
        var planner = NoticePlanner(options, for: id)
        let (now, wall) = (world.clock.now, world.clock.wallTime)
        guard let kept = cursor.groups.first(where: { $0.interval == interval }) else {
            // A new interval begins with what happens from now on; raised alerts come as reminders.
            isChanged = true
            let newest = await world.hub.newest
            let standing = await world.hub.standing(upTo: newest)
            let known = Set(standing.map(\.number))
            planner.begin(after: newest, tokenAt: now, sent: known, standing, at: now, wall)
            return planner
        }
        var passed = Duration.zero
        if let then = cursor.time, let wall {
            passed = max(.nanoseconds(wall.nanoseconds - then.nanoseconds), .zero)
        }
        let age = kept.sentAge + passed
        planner.begin(
            after: kept.lastNumber,
            tokenAt: now.advanced(by: max(options.every - age, .zero)),
            sent: Set(kept.told),
            await world.hub.standing(upTo: kept.lastNumber),
            at: now,
            wall
        )
        if let endAge = kept.endAge {
            planner.endTokenAt = now.advanced(by: max(options.every - endAge - passed, .zero))
        }
        return planner
    }

    // MARK: Sending

    /// Asks the planners which messages to begin.
    ///
    /// - Returns: When the next of them has something to say.
    private func plan() async throws -> MonotonicInstant? {
        var deadline: MonotonicInstant?
        waits = nil
        dropSettled()
        let wall = world.clock.wallTime ?? world.clock.wallReading?.wall
        let silences = await world.hub.silences
        words = await world.hub.words
        for interval in planners.keys.sorted() {
            guard var planner = planners[interval] else { continue }
            for news in await world.hub.news(after: planner.lastNumber) {
                planner.apply(news, at: world.clock.now, world.clock.wallTime)
            }
            planner.silences = silences
            let now = world.clock.now
            // Alerts that cannot go yet gather in the planner, and go in their state at that time;
            // a service that must not be asked delays its own subscribers only.
            let isBusy = fanouts.contains { $0.interval == interval && $0.isUnderWay }
            if !isBusy || planner.hasCall, fanouts.count < Self.fanoutLimit {
                switch planner.decide(at: now, wall, in: world.zone) {
                case .wait(let until, let delay):
                    deadline = [deadline, until].compactMap(\.self).min()
                    if let until, planner.waitingCount > 0, waits?.until.map({ until < $0 }) ?? true
                    {
                        waits = (until, delay)
                    }
                case .send(let plan):
                    present = await world.present()
                    let lasting = (plan.raised + plan.reminders).compactMap { planner.alerts[$0] }
                    for place in fanouts.indices where fanouts[place].interval == interval {
                        fanouts[place].leaveOut(plan)
                    }
                    let worst = lasting.map(\.raised.severity).max() ?? .notice
                    fanouts.append(
                        PushBroadcast(
                            .plan(plan),
                            Notice.Severity(rawValue: worst.rawValue) ?? .notice,
                            to: groups[interval] ?? [],
                            interval: interval,
                            at: now
                        )
                    )
                    planner.finish(plan, at: now)
                    deadline = now
                    isChanged = true
                    write(fanouts.count - 1, planner)
                }
            }
            planners[interval] = planner
        }
        return deadline
    }

    /// Removes messages that reached all, and those that are too old.
    private func dropSettled() {
        let now = world.clock.now
        fanouts.removeAll { fanout in
            fanout.isDone || fanout.begun.advanced(by: .seconds(Notice.lifetime)) <= now
        }
    }

    private func write(_ place: Int, _ planner: NoticePlanner) {
        guard case .plan(let plan) = fanouts[place].content else { return }
        for language in fanouts[place].languages {
            var writer = NoticeWriter(
                language: NoticeText.Language(rawValue: language) ?? .en,
                isGrouped: options.isGrouped,
                link: world.link,
                station: world.station
            )
            (writer.words, writer.present) = (words, present)
            fanouts[place].texts[language] = writer.write(
                plan,
                planner.alerts,
                at: world.clock.now
            )
        }
    }

    /// Sends one message of the most severe notice.
    ///
    /// - Returns: Whether there was one.
    private func sendOne() async throws -> Bool {
        // After a failure the message is written anew, in the alerts' present state.
        if services.trouble != nil, !fanouts.isEmpty { present = await world.present() }
        let now = world.clock.now
        dropSettled()
        let order = fanouts.indices.sorted { left, right in
            (fanouts[left].severity, right) > (fanouts[right].severity, left)
        }
        for place in order {
            guard let subscriber = fanouts[place].next({ services.isOpen($0, at: now) }) else {
                continue
            }
            if services.hasTrouble(subscriber), let planner = planners[fanouts[place].interval] {
                write(place, planner)
            }
            let (begun, interval) = (fanouts[place].begun, fanouts[place].interval)
            // A later message may take alerts out of this one while it is under way.
            let plan = fanouts[place].plan
            for notice in fanouts[place].texts[subscriber.language] ?? [] {
                let count = cursor.sentCount
                let outcome = try await receiver.sender.deliver(
                    notice,
                    to: subscriber,
                    over: world.network
                )
                guard try await settle(outcome, subscriber) else {
                    // Other tasks may have changed the list while this one waited.
                    let same = fanouts.firstIndex { $0.begun == begun && $0.interval == interval }
                    if let same { fanouts[same].putBack(subscriber) }
                    return true
                }
                guard cursor.sentCount > count, let plan else { continue }
                let part = options.isGrouped ? plan : plan.only(Int64(notice.number))
                let new = sent.add(part, planners[interval]?.alerts ?? [:], at: world.clock.now)
                for key in new { world.tell(id, .sent(key)) }
            }
            return true
        }
        return false
    }

    /// - Returns: Whether the message is settled; if not, it waits for another try.
    private func settle(
        _ outcome: PushOutcome,
        _ subscriber: Subscriber
    ) async throws -> Bool {
        let now = world.clock.now
        switch outcome {
        case .gone(let reason):
            world.removed("\(subscriber.label): \(reason.words)")
            try await remove(subscriber)
            return true
        case .judged(.delivered), .judged(.partly):
            let wasHeld = services.held != nil
            services.succeed(subscriber, at: now)
            if wasHeld, services.held == nil { world.tell(id, .resumed) }
            cursor.sentCount += 1
            (delivery.lastDelivery, lastTrouble, isChanged) = (now, nil, true)
            return true
        case .judged(.refused(let reason)):
            lastTrouble = reason
            return true
        case .judged(let failure):
            let wasHeld = services.held != nil
            if let reason = services.fail(subscriber, failure, at: now) {
                world.tell(id, .setAside(.named(Self.name(subscriber.label)), reason))
            }
            if !wasHeld, let held = services.held { world.tell(id, .held(held)) }
            return false
        }
    }

    private func remove(_ subscriber: Subscriber) async throws {
        do { _ = try await receiver.store.remove(subscriber.address) } catch let error
            as CancellationError
        { throw error } catch {
            bookTrouble = DeliveryReason("subscribers", "\(error)")
        }
    }

    private func keep() async throws {
        guard isChanged, fanouts.isEmpty else { return }
        isChanged = false
        let now = world.clock.now
        cursor.time = world.clock.wallTime
        cursor.groups = planners.map { PushCursor.Group($0, $1, at: now) }
        await world.cursors.keep(cursor.encode(), of: id, isUrgent: true)
    }
}
