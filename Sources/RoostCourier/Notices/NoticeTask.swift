import Alerts
import ControlProtocol
import Core
import Runtime
import StoreQueries

/// Sends one receiver the notices that `NoticePlanner` decides on.
actor NoticeTask: DeliveryTask {
    /// Dependencies of a notice task.
    struct World: Sendable {
        let hub: AlertHub
        let cursors: any CursorStore
        let network: any CourierNetwork
        let clock: any NodeClock
        let zone: Zone
        /// Receives the events that people should know about.
        let tell: @Sendable (_ receiver: String, DeliveryNotice) -> Void
        var pictures: (any PictureSource)?
        /// Name of the station in front of titles; nil where clients know the titles.
        var station: String?
        /// URL of the station's page about alerts; nil where it has no address.
        var link: String?
        /// Receives which subscriber was removed, and why, without its address.
        var removed: @Sendable (_ words: String) -> Void = { _ in }
        /// Asks the station for its alerts and titles; empty without an answer.
        var present: @Sendable () async -> PresentAlerts = { PresentAlerts() }

        init(
            hub: AlertHub,
            cursors: any CursorStore,
            network: any CourierNetwork,
            clock: any NodeClock,
            zone: Zone,
            tell: @escaping @Sendable (_ receiver: String, DeliveryNotice) -> Void
        ) {
            (self.hub, self.cursors, self.network) = (hub, cursors, network)
            (self.clock, self.zone, self.tell) = (clock, zone, tell)
        }
    }

    /// State of the task, for reports.
    struct Standing: Hashable, Sendable {
        /// Counts of alerts and their notices.
        let notices: NoticeCounts
        let delivery: DeliveryStanding

        func fill(_ report: inout OutboxReport, at now: MonotonicInstant) {
            report.notices = notices
            delivery.fill(&report, at: now)
        }
    }

    /// A delivery takes a minute at most; between two turns it sleeps no longer than half of this.
    private static let promise: Duration = .seconds(1_800)
    private static let tolerance: Duration = .seconds(1)
    /// How often a notice is sent when no answer says whether it arrived.
    private static let unknownLimit = 2
    /// Time after a motion in which its picture may still come.
    private static let pictureLimit: Duration = .seconds(20)
    /// Time before an alert from which a picture of the motion still counts.
    private static let pictureMargin: Duration = .seconds(30)

    private let id: String
    private let receiver: any NoticeReceiver
    private var writer: NoticeWriter
    private let world: World
    private let loop: DeliveryLoop
    private let wakeUp = Signal()
    private var planner: NoticePlanner
    private var cursor = NoticeCursor()
    private var state: DeliveryState
    /// Time of the next attempt or the next token; nil when nothing waits.
    private var nextTry: MonotonicInstant?
    private var delivery = DeliveryStanding()
    private var unknownCount = 0
    private var isReady = false
    private var waitsFor: NoticePlanner.Delay?
    private var sent = SentNotices()

    /// Makes a task that has not begun.
    ///
    /// - Parameters:
    ///   - id: The receiver's, from the configuration.
    ///   - seed: For the random part of the back-off.
    init(
        id: String,
        _ receiver: any NoticeReceiver,
        _ options: ReceiverOptions,
        seed: UInt64,
        in world: World,
        heartbeat: Heartbeat
    ) {
        (self.id, self.receiver, self.world) = (id, receiver, world)
        loop = DeliveryLoop(heartbeat: heartbeat, clock: world.clock, promise: Self.promise)
        planner = NoticePlanner(options, for: id, seed: seed)
        writer = NoticeWriter(
            language: NoticeText.Language(rawValue: options.language) ?? .en,
            isGrouped: options.isGrouped,
            link: world.link,
            station: world.station
        )
        state = DeliveryState(seed: seed)
    }

    var standing: Standing {
        var delivery = delivery
        delivery.apply(state)
        delivery.isWaiting = planner.waitingCount > 0
        delivery.nextTry = nextTry
        delivery.refusals = planner.asides.refusals("notices") { planner.name(of: $0) }
        delivery.waitsFor = waitsFor?.reason
        let counts = NoticeCounts(
            sent: cursor.sentCount,
            waiting: planner.waitingCount,
            omitted: planner.omittedCount,
            latest: sent.report(at: world.clock.now)
        )
        return Standing(notices: counts, delivery: delivery)
    }

    /// Notices go over every connection: they are few, and cannot wait.
    nonisolated var canWait: Bool { false }

    func fill(_ report: inout OutboxReport) {
        standing.fill(&report, at: world.clock.now)
    }

    /// Tries at once to send whatever waits.
    func wake(within time: Duration = .zero) {
        planner.asides.wake(at: world.clock.now)
        if state.trouble != nil {
            state.wake(at: world.clock.now, within: time)
            nextTry = nextTry.map { min($0, state.notBefore) }
        }
        wakeUp.raise()
    }

    func run() async throws {
        try await loop.run(turn, rest: rest) { delivery.sourceTrouble = $0 }
    }

    private func turn() async throws -> MonotonicInstant? {
        guard try await begin() else { return latest }
        for news in await world.hub.news(after: planner.lastNumber) {
            planner.apply(news, at: world.clock.now, world.clock.wallTime)
        }
        planner.silences = await world.hub.silences
        let now = world.clock.now
        let wall = world.clock.wallTime ?? world.clock.wallReading?.wall
        let decision = planner.decide(at: now, wall, in: world.zone)
        // Only the back-off holds a notice: a wait of the planner ends when a critical alert comes.
        if state.trouble != nil, now < state.notBefore, !mayHurry(decision) {
            nextTry = state.notBefore
            return min(state.notBefore, latest)
        }
        switch decision {
        case .wait(let until, let delay):
            nextTry = planner.waitingCount > 0 ? until : nil
            waitsFor = planner.waitingCount > 0 ? delay : nil
            return min(until ?? latest, latest)
        case .send(let plan):
            waitsFor = nil
            try await send(plan)
            return nil
        }
    }

    /// Whether a notice not tried yet may go early, to show that the receiver is there.
    private func mayHurry(_ decision: NoticePlanner.Decision) -> Bool {
        guard case .send(let plan) = decision else { return false }
        return plan.numbers.contains(where: planner.doubt.mayHurry)
    }

    /// End of the longest rest that begins now.
    private var latest: MonotonicInstant { world.clock.now.advanced(by: Self.promise / 2) }

    private func rest(until deadline: MonotonicInstant) async throws {
        let (hub, number) = (world.hub, planner.lastNumber)
        _ = try await world.clock.run(unless: wakeUp) {
            try await hub.wait(after: number, until: deadline, tolerance: Self.tolerance)
        }
    }

    /// Resumes where an earlier process was; a new receiver begins with what happens from now on.
    ///
    /// - Returns: Whether it has begun, which it cannot before the station answers.
    private func begin() async throws -> Bool {
        guard !isReady else { return true }
        guard await world.hub.isReady else { return false }
        let now = world.clock.now
        let (found, lost) = try await world.cursors.cursor(of: id, NoticeCursor.init(_:))
        if let found { cursor = found } else { cursor.lastNumber = await world.hub.newest }
        var age = cursor.sentAge
        if let sent = cursor.sentTime, let wall = world.clock.wallTime {
            age = max(age, .nanoseconds(wall.nanoseconds - sent.nanoseconds))
        }
        let tokenAt = now.advanced(by: max(planner.options.every - age, .zero))
        planner.begin(
            after: cursor.lastNumber,
            tokenAt: tokenAt,
            sent: Set(cursor.told),
            await world.hub.standing(upTo: cursor.lastNumber),
            at: now,
            world.clock.wallTime
        )
        if let endAge = cursor.endAge {
            let left = planner.options.every - endAge - (age - cursor.sentAge)
            planner.endTokenAt = now.advanced(by: max(left, .zero))
        }
        sent = SentNotices(cursor.told)
        isReady = true
        guard let lost else { return true }
        delivery.cursorLost = "\(lost)"
        world.tell(id, .cursorLost("\(lost)"))
        // Replace the lost cursor now: the receiver may send nothing for months.
        try await keep()
        return true
    }

    private func send(_ plan: NoticePlanner.Plan) async throws {
        writer.words = await world.hub.words
        writer.present = await world.present()
        // Parts that were sent are not repeated because another part fails.
        let isOne = writer.isGrouped || plan.isAside || planner.doubt.isSearching
        var hasProof = false
        for part in isOne ? [plan] : planner.parts(of: plan) {
            let number = part.numbers.count == 1 ? part.numbers.first : nil
            switch try await deliver(part) {
            case .delivered:
                let failed = planner.doubt
                let found = number.map { planner.doubt.succeed($0) } ?? []
                for other in found { planner.asides.add(other, failed.reason, at: world.clock.now) }
                planner.finish(part, at: world.clock.now)
                hasProof = true
            case .failed(let reason, let seconds):
                if part.isAside {
                    failAside(part, reason, after: seconds)
                } else if hasProof, let number, reason.isServerFault, planner.asides.room > 0 {
                    planner.asides.add(number, reason, at: world.clock.now)
                    continue
                } else {
                    reason.isServerFault
                        ? planner.doubt.fail(number, reason) : planner.doubt.interrupt(reason)
                    fail(reason, after: seconds)
                }
                return try await keep()
            case .isHeld: return try await keep()
            }
        }
        try await keep()
    }

    /// Result of sending a part of a plan.
    private enum Fate {
        /// The part needs no further attempt.
        case delivered
        case failed(DeliveryReason, after: Int?)
        /// A person has to change something.
        case isHeld
    }

    private func deliver(_ part: NoticePlanner.Plan) async throws -> Fate {
        var isTaken = false
        for written in writer.write(part, planner.alerts, at: world.clock.now)
        where receiver.takes(written) {
            let notice = try await pictured(written)
            switch try await receiver.deliver(notice, over: world.network) {
            case .delivered, .partly:
                count()
                isTaken = true
            case .refused(let reason):
                // This notice will never be accepted; the next one may be.
                report(state.hold(reason))
            case .unknown(let reason):
                unknownCount += 1
                guard part.isAside || unknownCount >= Self.unknownLimit else {
                    return .failed(reason, after: nil)
                }
                count()
            case .later(let reason, let seconds): return .failed(reason, after: seconds)
            case .foreign(let reason): return .failed(reason, after: nil)
            case .hold(let reason):
                report(state.hold(reason, at: world.clock.now))
                planner.doubt.interrupt(reason)
                nextTry = state.notBefore
                return .isHeld
            }
        }
        if isTaken {
            let new = sent.add(part, planner.alerts, at: world.clock.now)
            report(new.map(DeliveryNotice.sent))
        }
        return .delivered
    }

    /// Handles a repeated failure of a notice that was set aside.
    private func failAside(
        _ part: NoticePlanner.Plan,
        _ reason: DeliveryReason,
        after seconds: Int?
    ) {
        let (numbers, now) = (part.numbers, world.clock.now)
        guard numbers.count == 1, let number = numbers.first else {
            return planner.asides.fail(together: numbers, reason, at: now)
        }
        guard planner.asides.fail(number, reason, after: seconds, at: now) else { return }
        world.tell(id, .setAside(.named(planner.name(of: number)), reason))
    }

    /// Adds the picture to a notice of a motion, or the reason why it has none.
    private func pictured(_ notice: Notice) async throws -> Notice {
        guard planner.options.hasPictures, let sensor = notice.motionSensor else { return notice }
        let clock = world.clock
        let begun = planner.alerts[Int64(notice.number)]?.since ?? clock.now
        let first = begun.advanced(by: .zero - Self.pictureMargin)
        var found: Result<NoticePicture, NoticePictureError> = .failure(.init(.noCamera))
        while let pictures = world.pictures {
            found = try await pictures.picture(of: sensor, after: first)
            // A camera's program takes seconds; no other reason is worth a wait.
            guard case .failure(let error) = found, error.lack == .notTaken,
                begun.duration(to: clock.now) < Self.pictureLimit
            else { break }
            try await clock.sleep(for: .seconds(1), tolerance: Self.tolerance)
        }
        switch found {
        case .failure(let error): return notice.without(error.lack)
        case .success(let picture):
            guard picture.bytes.count <= NoticePicture.byteMax else {
                return notice.without(.tooLarge(byteCount: picture.bytes.count))
            }
            var notice = notice
            notice.picture = picture
            return notice
        }
    }

    private func report(_ notices: [DeliveryNotice]) {
        for notice in notices { world.tell(id, notice) }
    }

    private func count() {
        report(state.succeed())
        // A receiver that accepts one waits for no earlier failure, when a later one is refused.
        state.notBefore = .boot
        (nextTry, unknownCount) = (nil, 0)
        cursor.sentCount += 1
        delivery.lastDelivery = world.clock.now
    }

    private func fail(_ reason: DeliveryReason, after seconds: Int?) {
        state.fail(reason, after: seconds, at: world.clock.now)
        nextTry = state.notBefore
    }

    private func keep() async throws {
        cursor.lastNumber = planner.settledNumber
        let waited = planner.tokenAt.duration(to: world.clock.now) + planner.options.every
        cursor.sentAge = max(waited, .zero)
        cursor.sentTime = world.clock.wallTime.map { wall in
            WallTime(nanoseconds: wall.nanoseconds - cursor.sentAge.wholeNanoseconds)
        }
        cursor.endAge = planner.endAge(at: world.clock.now)
        cursor.told = planner.alerts.filter { $0.value.toldAt != nil }.keys.sorted()
        await world.cursors.keep(cursor.encode(), of: id, isUrgent: true)
    }
}
