import Core

/// Shows the station to the clients of an MQTT broker, Home Assistant above all.
///
/// It keeps one connection, made by the outbox or by `MQTTDiscovery`, whichever needs it first. All
/// retained topics are published again after each connect, as a broker may have lost its file.
package actor MQTTTarget: SampleTarget {
    private typealias Connection = MQTTConnection

    /// Age of a connection below which its end counts as a refusal by the broker.
    private static let shortLife: Duration = .seconds(10)
    private static let proofPatience: Duration = .seconds(10)
    /// Attempts 5 s apart after a connection was lost; later ones are 30 s apart.
    private static let quickTries = 12
    /// Time between two attempts at a broker that forbids one of our topics.
    private static let denialInterval: Duration = .seconds(300)
    private static let conditionInterval: Duration = .seconds(300)
    /// Time after a motion in which the station's state may be from before it.
    private static let motionSpan: Duration = .seconds(60)
    private static let networkCode = "network"

    nonisolated package let traits: SampleTargetTraits
    /// Raised when `MQTTDiscovery`, the only task that waits for it, has to act.
    nonisolated let needsTending = Signal()
    /// Raised when a connection was made; only `listen` waits for it.
    nonisolated let hasConnected = Signal()
    nonisolated private let clock: any NodeClock
    /// Settings, with the will that the target adds.
    nonisolated package let settings: MQTTSettings
    private let proofCame = Signal()
    private var random: SplitMix64
    private var connection: Connection?
    private var connectionCount = 0
    private var isConnecting = false
    private var shortCloses = 0
    private var notBefore: MonotonicInstant?
    private var view: BrokerStationView?
    private var isStationOnline = false
    private var announced: [MQTTPayloads.Component] = []
    private var conditionAt: MonotonicInstant?
    private var repeats = MQTTRepeats()
    /// Time of each motion sensor's last motion here, bounded by the station's sensors.
    private var motionsAt: [String: MonotonicInstant] = [:]
    private var samples: MQTTSamples
    private var missCount = 0
    /// Whether the broker's machine is in the own network and refuses the connection.
    private var isNear = false
    /// Message after which the broker closed the connection, and how often in a row.
    private var closing: (id: [UInt8], count: Int)?
    private var denial: (reason: BrokerDenial, until: MonotonicInstant)?
    private var lastProof: [UInt8]?
    /// Malformed message of the broker, after which the target subscribes to no topic any more.
    private var deafness: NetworkFailure?

    /// Makes a target without a connection.
    ///
    /// The seed is for the random wait before a restarted Home Assistant is answered.
    package init(_ settings: MQTTSettings, clock: any NodeClock, seed: UInt64) {
        var settings = settings
        let offline = settings.payloads.status(false)
        settings.broker.will = BrokerSettings.Will(
            topic: offline.topic,
            payload: offline.payload,
            delaySeconds: 60
        )
        (self.settings, self.clock) = (settings, clock)
        samples = MQTTSamples(settings.payloads)
        random = SplitMix64(seed: seed)
        var traits = SampleTargetTraits()
        traits.itemLimit = 20
        traits.refusesByAge = false
        traits.dating = .orAge
        traits.pace = .zero
        self.traits = traits
    }

    /// Fault that kept the station from being shown at the last try; nil when there was none.
    package private(set) var trouble: DeliveryReason?

    /// Kind of proof of delivery that this broker gives, for people; nil before a connection.
    package var standing: String? {
        guard let connection else { return nil }
        if settings.proves { return "proved by an echo" }
        return connection.link.protocolVersion == 5
            ? "acknowledged with a reason (MQTT 5)"
            : "accepted, cannot be proved (MQTT 3.1.1)"
    }

    // MARK: Samples

    nonisolated package func leavesOut(_ sample: OutboxSample) -> LeftOut? { nil }

    package func deliver(
        _ batch: SampleBatch,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        var refused: [Int] = []
        var last: DeliveryReason?
        for shown in samples.plan(batch, view, at: clock.now) {
            switch try await put(shown.message, id: shown.sample.id, over: network) {
            case .delivered: samples.keep(shown)
            case .refused(let reason):
                refused.append(shown.index)
                last = reason
            case let outcome: return outcome
            }
        }
        if let last {
            return refused.count == batch.samples.count
                ? .refused(last) : .partly(refused: refused.sorted(), last)
        }
        return settings.proves ? try await prove(batch.id, over: network) : .delivered
    }

    /// Publishes a motion or an alert; safe to repeat with the same one.
    ///
    /// - Throws: `CancellationError` alone.
    package func report(
        _ news: MQTTEvent,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        if case .motion(let motion) = news { motionsAt[motion.device] = clock.now }
        for message in news.messages(settings.payloads) {
            let outcome = try await put(message, over: network)
            guard outcome == .delivered else { return outcome }
        }
        return .delivered
    }

    /// Publishes a message under an id that stays the same when it is repeated.
    private func put(
        _ message: BrokerMessage,
        id: String? = nil,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        do {
            let connection = try await connected(over: network)
            try await send(message, connection)
            closing = nil
            return .delivered
        } catch let denial as BrokerDenial {
            return denial.outcome
        } catch let failure as NetworkFailure {
            return classify(failure, of: id.map { Array($0.utf8) } ?? message.payload)
        }
    }

    private func classify(_ failure: NetworkFailure, of id: [UInt8]) -> DeliveryOutcome {
        if failure.wasSent, failure.stage == .closed {
            let count = closing?.id == id ? (closing?.count ?? 0) + 1 : 1
            closing = count < 3 ? (id, count) : nil
            if count == 3 {
                let words = "the broker closed the connection three times after this message"
                return .refused(DeliveryReason("closed-after-it", words))
            }
        }
        if shortCloses >= 3 {
            return .later(DeliveryReason("client-id", Self.cloneWords), afterSeconds: 60)
        }
        return DeliveryClassifier.classify(failure)
    }

    private static let cloneWords =
        "another client uses this id; a cloned card? give one of them another `clientID`"

    private func prove(
        _ id: String,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        let proof = BrokerMessage(topic: settings.payloads.topics.proof, payload: Array(id.utf8))
        let outcome = try await put(proof, over: network)
        guard outcome == .delivered else { return outcome }
        let deadline = clock.now.advanced(by: Self.proofPatience)
        while lastProof != proof.payload {
            let isRaised = try await clock.wait(for: proofCame, until: deadline, tolerance: .zero)
            guard isRaised else {
                let words = "the broker took the messages and sent none back to \(proof.topic)"
                return .hold(DeliveryReason("no-echo", words))
            }
        }
        return .delivered
    }

    // MARK: The connection

    private func connected(over network: any CourierNetwork) async throws -> Connection {
        if let connection { return connection }
        if let notBefore, clock.now < notBefore {
            throw NetworkFailure(.closed, Self.cloneWords)
        }
        if let denial, clock.now < denial.until { throw denial.reason }
        guard !isConnecting else {
            throw NetworkFailure(.closed, "the connection to the broker is being made")
        }
        isConnecting = true
        defer { isConnecting = false }
        let link = try await network.connect(settings.broker)
        connectionCount += 1
        let made = Connection(number: connectionCount, link: link, openedAt: clock.now)
        connection = made
        hasConnected.raise()
        do {
            try await greet(made)
        } catch let denial as BrokerDenial {
            // A refused subscription would miss messages for ever: ask again later, from the start.
            self.denial = (denial, clock.now.advanced(by: Self.denialInterval))
            connection = nil
            await link.close()
            throw denial
        }
        denial = nil
        return made
    }

    /// Publishes all retained messages, and subscribes to the target's topics.
    private func greet(_ connection: Connection) async throws {
        try await send(settings.payloads.status(true), connection)
        try await send(settings.payloads.station(isStationOnline), connection)
        if settings.hasDiscovery {
            // Recall before announcing: the broker retains the announcement of an earlier process.
            let topics = settings.payloads.topics
            if settings.payloads.isByDevice { try await subscribe(topics.discovery, connection) }
            try await announce(connection)
            try await subscribe(MQTTTopics.homeAssistantStatus, connection)
        }
        if settings.proves { try await subscribe(settings.payloads.topics.proof, connection) }
    }

    private func subscribe(_ topic: String, _ connection: Connection) async throws {
        guard deafness == nil || topic == settings.payloads.topics.proof else { return }
        do {
            try await connection.link.subscribe(topic)
        } catch let failure as NetworkFailure {
            // A broker may allow only publishing.
            guard failure.stage != .notAuthorised else { return }
            lose(connection)
            throw failure
        }
    }

    private func send(_ message: BrokerMessage, _ connection: Connection) async throws {
        do {
            let code = try await connection.link.publish(message)
            if code >= 0x80 { throw BrokerDenial(code: code, topic: message.topic) }
        } catch let failure as NetworkFailure {
            lose(connection)
            throw failure
        }
    }

    private func lose(_ lost: Connection) {
        guard connection?.number == lost.number else { return }
        connection = nil
        if let ending = lost.link.ending, ending.stage == .malformed { deafness = ending }
        let isShort = lost.openedAt.duration(to: clock.now) < Self.shortLife
        shortCloses = isShort ? shortCloses + 1 : 0
        notBefore = shortCloses >= 3 ? clock.now.advanced(by: .seconds(60)) : nil
    }

    // MARK: The station

    /// Publishes the station's present state; nil when the station does not answer.
    ///
    /// Its network failures show at the next delivery.
    ///
    /// - Returns: Whether the broker is there, and was not at the last call.
    /// - Throws: `CancellationError` alone.
    func show(_ now: BrokerStationView?, over network: any CourierNetwork) async throws -> Bool {
        let before = trouble
        let wasOnline = isStationOnline
        isStationOnline = now?.makesProgress ?? false
        var isNew = false
        if let now {
            let plan = MQTTPayloads.plan(now, after: announced)
            isNew = plan.next != announced || !plan.removed.isEmpty
            view = now
        }
        do {
            let number = connection?.number
            let connection = try await connected(over: network)
            let isGreeted = connection.number != number
            if wasOnline != isStationOnline, !isGreeted {
                try await send(settings.payloads.station(isStationOnline), connection)
            }
            if isNew, !isGreeted { try await announce(connection) }
            try await repeatState(connection)
            if now != nil { try await sayCondition(connection) }
            trouble = deafness.map {
                DeliveryReason("deaf", "\($0.words); until the courier starts anew, none is heard")
            }
            (missCount, isNear) = (0, false)
            return before?.code == Self.networkCode
        } catch let failure as NetworkFailure {
            missCount += 1
            isNear = failure.isNear && failure.stage == .refused
            trouble = DeliveryReason(Self.networkCode, failure.words)
        } catch let denial as BrokerDenial {
            trouble = DeliveryReason("broker", denial.text)
        }
        return false
    }

    private func announce(_ connection: Connection) async throws {
        guard settings.hasDiscovery, let view else { return }
        let (before, plan) = (announced, MQTTPayloads.plan(view, after: announced))
        for message in settings.payloads.discovery(view, plan) {
            try await send(message, connection)
        }
        if !Set(plan.next).isSubset(of: before) { repeats.haveNewEntities(at: clock.now) }
        // An entity recalled meanwhile is for the next announcement.
        announced = plan.next + announced.filter { !before.contains($0) }
    }

    /// Reads the entities that an earlier process announced, which a later announcement deletes.
    private func recall(_ message: BrokerMessage) {
        guard message.isRetained else { return }
        let known = Set(announced.map(\.id))
        announced += settings.payloads.announced(message.payload).filter { !known.contains($0.id) }
        needsTending.raise()
    }

    /// Sends the present state to clients that have subscribed since it was sent.
    private func repeatState(_ connection: Connection) async throws {
        let due = repeats.removeDue(at: clock.now)
        if due.announcement { try await announce(connection) }
        guard due.state else { return }
        for message in samples.present(at: clock.now) { try await send(message, connection) }
        conditionAt = nil
    }

    private func sayCondition(_ connection: Connection) async throws {
        guard let view else { return }
        if let at = conditionAt, at.duration(to: clock.now) < Self.conditionInterval { return }
        conditionAt = clock.now
        for message in settings.payloads.condition(view, expiry: 900) {
            try await send(message, connection)
        }
        // Checked before each message: a motion may be sent meanwhile.
        for device in view.devices where device.isStill && !hasJustMoved(device.name) {
            try await send(settings.payloads.still(device.name), connection)
        }
    }

    private func hasJustMoved(_ device: String) -> Bool {
        motionsAt[device].map { $0.duration(to: clock.now) < Self.motionSpan } ?? false
    }

    /// Returns when `show` is due next at the latest.
    func nextTending() -> MonotonicInstant {
        // A broker that restarts is back within seconds. One that is away is tried less often,
        // except on a machine of the own network that answers.
        let isSoon = connection == nil && (isNear || missCount < Self.quickTries)
        let regular = clock.now.advanced(by: .seconds(isSoon ? 5 : 30))
        // Without a connection, or while the broker refuses, nothing can be repeated.
        return connection == nil || trouble != nil ? regular : min(repeats.next ?? regular, regular)
    }

    /// Handles the broker's messages until the present connection ends.
    ///
    /// - Throws: `CancellationError`.
    func listen() async throws {
        guard let connection else {
            let limit = clock.now.advanced(by: .seconds(60))
            _ = try await clock.wait(for: hasConnected, until: limit, tolerance: .seconds(2))
            return
        }
        while let message = try await connection.link.nextMessage() { hear(message) }
        lose(connection)
        needsTending.raise()
    }

    private func hear(_ message: BrokerMessage) {
        if message.topic == settings.payloads.topics.discovery {
            recall(message)
        } else if message.topic == settings.payloads.topics.proof {
            lastProof = message.payload
            proofCame.raise()
        } else if message.topic == MQTTTopics.homeAssistantStatus,
            message.payload == Array("online".utf8), !message.isRetained
        {
            // All stations of a house get this message at the same moment.
            let wait = Int64(random.next() % 10_000)
            repeats.haveQuestion(answerAt: clock.now.advanced(by: .milliseconds(wait)))
            needsTending.raise()
        }
    }

    /// Publishes that the courier ends, and ends the connection.
    func retire() async {
        guard let connection else { return }
        self.connection = nil
        do {
            _ = try await connection.link.publish(settings.payloads.status(false))
        } catch {
            // A cancelled task still sends the message, without waiting for an acknowledgement.
        }
        await connection.link.close()
    }
}
