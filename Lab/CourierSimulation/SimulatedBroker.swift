import Core
import RoostCourier
import Synchronization

/// Simulated MQTT 5 broker: retained messages, wills, expiry, forbidden topics.
package final class SimulatedBroker: Sendable {
    /// A message as it came in.
    package struct Arrival: Hashable, Sendable {
        package let message: BrokerMessage
        package let at: MonotonicInstant

        package var text: String { String(decoding: message.payload, as: UTF8.self) }
    }

    private struct Will {
        let message: BrokerMessage
        let at: MonotonicInstant
    }

    private struct State {
        var retained: [String: BrokerMessage] = [:]
        var sessions: [String: SimulatedBrokerConnection] = [:]
        var wills: [String: Will] = [:]
        var arrivals: [Arrival] = []
        var codes: [String: Int] = [:]
        var closesAfter: Set<String> = []
        var connectCount = 0
        var protocolVersion = 5
        var isClosing = false
    }

    private let clock: any NodeClock
    private let state = Mutex(State())

    package init(clock: any NodeClock) { self.clock = clock }

    /// Accepted messages, oldest first.
    package var arrivals: [Arrival] { state.withLock { $0.arrivals } }
    var connectCount: Int { state.withLock { $0.connectCount } }

    /// Returns the retained message of a topic as text; nil without one.
    package func retained(_ topic: String) -> String? {
        settleWills()
        return state.withLock { $0.retained[topic] }.map {
            String(decoding: $0.payload, as: UTF8.self)
        }
    }

    /// Returns the texts that were accepted on a topic, oldest first.
    package func texts(_ topic: String) -> [String] {
        arrivals.filter { $0.message.topic == topic }.map(\.text)
    }

    /// Sets the reason code of the answer to each message on a topic; nil accepts it.
    package func answer(_ topic: String, by code: Int?) {
        state.withLock { $0.codes[topic] = code }
    }

    /// Makes each message on a topic close its connection.
    package func close(after topic: String) { _ = state.withLock { $0.closesAfter.insert(topic) } }

    /// Sets whether each connection is closed after CONNACK, as by a client with the same id.
    func setClosing(_ isClosing: Bool) { state.withLock { $0.isClosing = isClosing } }

    /// Sets the protocol level: 5, or 4 for a broker that only speaks MQTT 3.1.1.
    package func setVersion(_ version: Int) { state.withLock { $0.protocolVersion = version } }

    /// Restarts the broker without its retained messages.
    package func restart() {
        let sessions = state.withLock { state in
            defer {
                state.sessions = [:]
                state.retained = [:]
                state.wills = [:]
            }
            return state.sessions
        }
        for link in sessions.values { link.finish() }
    }

    /// Cuts all connections, after which their wills are published.
    package func cut() {
        for link in state.withLock({ Array($0.sessions.values) }) { drop(link) }
    }

    /// Publishes as another client, such as Home Assistant.
    package func publish(_ message: BrokerMessage) { _ = accept(message) }

    func connect(_ settings: BrokerSettings) throws(NetworkFailure) -> any BrokerConnection {
        settleWills()
        let (version, isClosing) = state.withLock { state in
            state.connectCount += 1
            return (state.protocolVersion, state.isClosing)
        }
        let link = SimulatedBrokerConnection(self, settings, min(version, settings.protocolVersion))
        let former = state.withLock { state in
            // The will is not published when the same client returns in time.
            state.wills[settings.clientID] = nil
            defer { state.sessions[settings.clientID] = link }
            return state.sessions[settings.clientID]
        }
        former?.finish()
        if isClosing { drop(link) }
        return link
    }

    /// Ends a connection like a cut: its will is published after its delay.
    func drop(_ link: SimulatedBrokerConnection) {
        link.finish()
        let now = clock.now
        state.withLock { state in
            guard state.sessions[link.settings.clientID] === link else { return }
            state.sessions[link.settings.clientID] = nil
            guard let will = link.settings.will else { return }
            let message = BrokerMessage(
                topic: will.topic,
                payload: will.payload,
                isRetained: true
            )
            let delay = link.protocolVersion == 5 ? will.delaySeconds : 0
            state.wills[link.settings.clientID] = Will(
                message: message,
                at: now.advanced(by: .seconds(Int64(delay)))
            )
        }
    }

    /// Ends a connection in order, without its will.
    func leave(_ link: SimulatedBrokerConnection) {
        link.finish()
        state.withLock { state in
            guard state.sessions[link.settings.clientID] === link else { return }
            state.sessions[link.settings.clientID] = nil
        }
    }

    /// Whether a message to a topic ends its connection.
    func closes(after topic: String) -> Bool { state.withLock { $0.closesAfter.contains(topic) } }

    func retained(for topic: String) -> BrokerMessage? { state.withLock { $0.retained[topic] } }

    /// Accepts a message and sends it to all subscribers of its topic.
    ///
    /// - Returns: The reason code.
    func accept(_ message: BrokerMessage) -> Int {
        let now = clock.now
        let (code, sessions) = state.withLock { state in
            if let code = state.codes[message.topic] {
                return (code, [SimulatedBrokerConnection]())
            }
            state.arrivals.append(Arrival(message: message, at: now))
            if message.isRetained {
                state.retained[message.topic] = message.payload.isEmpty ? nil : message
            }
            return (0, Array(state.sessions.values))
        }
        guard code < 0x80 else { return code }
        let isHeard = sessions.map { $0.hand(message.live) }.contains(true)
        return isHeard ? 0 : 0x10
    }

    private func settleWills() {
        let now = clock.now
        let due = state.withLock { state in
            let due = state.wills.filter { $0.value.at <= now }
            for id in due.keys { state.wills[id] = nil }
            return due.values.map(\.message)
        }
        for message in due { _ = accept(message) }
    }
}

/// A connection to a simulated broker.
final class SimulatedBrokerConnection: BrokerConnection {
    private struct State {
        var topics: Set<String> = []
        var isEnded = false
    }

    let settings: BrokerSettings
    let protocolVersion: Int
    private let broker: SimulatedBroker
    private let signal: AsyncStream<BrokerMessage>
    private let sender: AsyncStream<BrokerMessage>.Continuation
    private let state = Mutex(State())

    init(_ broker: SimulatedBroker, _ settings: BrokerSettings, _ version: Int) {
        (self.broker, self.settings, protocolVersion) = (broker, settings, version)
        (signal, sender) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(64))
    }

    func publish(_ message: BrokerMessage) async throws -> Int {
        try check()
        if broker.closes(after: message.topic) {
            broker.drop(self)
            throw NetworkFailure(.closed, "\(settings.host) closed the connection", wasSent: true)
        }
        let code = broker.accept(message)
        // A forbidden message is dropped without an error in MQTT 3.1.1.
        return protocolVersion == 5 ? code : 0
    }

    func subscribe(_ topic: String) async throws {
        try check()
        _ = state.withLock { $0.topics.insert(topic) }
        if let kept = broker.retained(for: topic) { sender.yield(kept) }
    }

    func nextMessage() async throws -> BrokerMessage? {
        for await message in signal { return message }
        try Task.checkCancellation()
        return nil
    }

    func close() async { broker.leave(self) }

    /// - Returns: Whether its topic was asked for.
    func hand(_ message: BrokerMessage) -> Bool {
        let isWanted = state.withLock { !$0.isEnded && $0.topics.contains(message.topic) }
        if isWanted { sender.yield(message) }
        return isWanted
    }

    func finish() {
        state.withLock { $0.isEnded = true }
        sender.finish()
    }

    private func check() throws(NetworkFailure) {
        guard !state.withLock({ $0.isEnded }) else {
            throw NetworkFailure(.closed, "\(settings.host) closed the connection")
        }
    }
}

extension BrokerMessage {
    /// The message for clients that were connected: not marked as retained.
    fileprivate var live: BrokerMessage {
        BrokerMessage(topic: topic, payload: payload, expirySeconds: expirySeconds)
    }
}
