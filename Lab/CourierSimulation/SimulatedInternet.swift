import Core
import RoostCourier
import Synchronization

/// A server of the simulated internet.
package protocol SimulatedServer: Sendable {
    /// Carries a request out and answers it.
    func answer(_ request: OutboundRequest) async -> OutboundAnswer
}

/// Fault of the network on the way to a host.
package enum NetworkFault: Hashable, Sendable {
    /// No answer to a name look-up, until the time for it is up.
    case nameServerSilent
    case unknownHost
    case refused
    /// Refused by a machine of the own network, such as its router.
    case near
    case unreachable
    /// The server has the certificate of another host.
    case wrongCertificate
    /// The server accepts the connection and does not answer.
    case silent
    /// The request is carried out, and its answer is lost.
    case answerLost
    /// Each request gets this status, and is not carried out.
    case status(Int, retryAfterSeconds: Int?)
    /// Each request gets an HTML page for people.
    case captivePortal
    /// Each exchange takes this long; beyond the courier's time limit its answer is lost.
    case slow(Duration)
    /// The server closes a kept connection after it has carried out the second request.
    case closesKept
    /// The answer comes one byte a second.
    case trickle
}

/// A network whose hosts answer or fail, by the virtual clock.
package final class SimulatedInternet: CourierNetwork {
    private struct State {
        var servers: [String: any SimulatedServer] = [:]
        var brokers: [String: SimulatedBroker] = [:]
        var faults: [String: NetworkFault] = [:]
        var isDown = false
        var exchangeCount = 0
        /// Hosts with a connection kept for the next request.
        var kept: Set<String> = []
        var mailbox: [MailMessage] = []
        var sent: [OutboundRequest] = []
    }

    /// Requests that `sent` keeps; older ones are forgotten.
    private static let sentLimit = 256
    private static let patience: Duration = .seconds(10)
    /// Time from the last byte of a request to the first of the answer.
    private static let firstByte: Duration = .seconds(30)
    private let clock: any NodeClock
    private let state = Mutex(State())

    package init(clock: any NodeClock) { self.clock = clock }

    /// Requests that reached the network, oldest first, the last 256.
    package var sent: [OutboundRequest] { state.withLock { $0.sent } }
    package var exchangeCount: Int { state.withLock { $0.exchangeCount } }

    /// Connects a server to a host, such as `api.example.org` or `localhost:8086`.
    package func add(_ server: any SimulatedServer, at host: String) {
        state.withLock { $0.servers[host] = server }
    }

    /// Connects a broker to a host, such as `192.168.1.5`.
    package func add(_ broker: SimulatedBroker, at host: String) {
        state.withLock { $0.brokers[host] = broker }
    }

    /// Sets the fault of a host; nil ends it.
    package func set(_ fault: NetworkFault?, at host: String) {
        state.withLock { $0.faults[host] = fault }
    }

    /// Sets whether there is no route at all; connections to brokers then end.
    package func setDown(_ isDown: Bool) {
        let brokers = state.withLock { state in
            state.isDown = isDown
            return Array(state.brokers.values)
        }
        if isDown { for broker in brokers { broker.cut() } }
    }

    package func exchange(_ request: OutboundRequest) async throws -> OutboundAnswer {
        let host = Self.host(of: request.url.revealed)
        let (server, fault, isDown) = state.withLock { state in
            state.exchangeCount += 1
            state.sent.append(request)
            if state.sent.count > Self.sentLimit { state.sent.removeFirst() }
            return (state.servers[host], state.faults[host], state.isDown)
        }
        if isDown { throw NetworkFailure(.unreachable, "no route to \(host)") }
        if let answer = try await suffer(fault, host) { return answer }
        guard let server else { throw NetworkFailure(.unknownHost, "no name server knows \(host)") }
        let isKept = state.withLock { $0.kept.remove(host) != nil } && !request.isOnce
        let answer = await server.answer(request)
        try await lose(fault, isKept: isKept, request, host)
        if !request.isOnce { state.withLock { _ = $0.kept.insert(host) } }
        let limit = request.answerLimit
        guard answer.body.count <= limit else {
            let words = "\(host) answers more than \(limit) bytes"
            throw NetworkFailure(.malformed, words, wasSent: true)
        }
        return answer
    }

    package func upload(
        _ request: OutboundRequest,
        size: Int,
        _ read: @escaping @Sendable () async throws -> [UInt8]?
    ) async throws -> OutboundAnswer {
        var request = request
        request.body = []
        while let piece = try await read() { request.body += piece }
        precondition(request.body.count == size, "a body has the size that was said")
        return try await exchange(request)
    }

    package func send(_ message: MailMessage) async throws -> OutboundAnswer {
        let host = Self.host(of: message.url.revealed)
        let (fault, isDown) = state.withLock { ($0.faults[host], $0.isDown) }
        if isDown { throw NetworkFailure(.unreachable, "no route to \(host)") }
        if let answer = try await suffer(fault, host) { return answer }
        state.withLock { $0.mailbox.append(message) }
        return OutboundAnswer(250, text: "queued")
    }

    package func connect(_ broker: BrokerSettings) async throws -> any BrokerConnection {
        let host = broker.host
        let (found, fault, isDown) = state.withLock {
            ($0.brokers[host], $0.faults[host], $0.isDown)
        }
        if isDown { throw NetworkFailure(.unreachable, "no route to \(host)") }
        switch fault {
        case nil, .slow: break
        // A server that speaks HTTP, or a cut connection, is not a broker.
        case .answerLost, .closesKept:
            throw NetworkFailure(.closed, "\(host) closed the connection")
        case .status, .captivePortal:
            throw NetworkFailure(.malformed, "\(host) answers something that is no MQTT")
        default: break
        }
        _ = try await suffer(fault, host)
        guard let found else {
            throw NetworkFailure(.refused, "\(host) is no broker of this world")
        }
        return try found.connect(broker)
    }

    /// Applies a fault to the answer of a request that was carried out.
    private func lose(
        _ fault: NetworkFault?,
        isKept: Bool,
        _ request: OutboundRequest,
        _ host: String
    ) async throws {
        switch fault {
        case .answerLost: try await clock.sleep(for: Self.patience)
        case .slow(let time) where time > Self.firstByte: break
        case .closesKept where isKept:
            throw NetworkFailure(.closed, "\(host) closed the connection", wasSent: true)
        case .trickle: try await clock.sleep(for: .seconds(request.timeoutSeconds))
        default: return
        }
        throw NetworkFailure(.silent, "\(host) gave no whole answer", wasSent: true)
    }

    /// Applies a fault before a server is asked; nil goes on to the server.
    private func suffer(_ fault: NetworkFault?, _ host: String) async throws -> OutboundAnswer? {
        switch fault {
        case nil, .answerLost, .closesKept, .trickle: return nil
        case .nameServerSilent:
            try await clock.sleep(for: Self.patience)
            throw NetworkFailure(.nameServerSilent, "the name server does not answer")
        case .unknownHost: throw NetworkFailure(.unknownHost, "no name server knows \(host)")
        case .refused: throw NetworkFailure(.refused, "\(host) refuses the connection")
        case .near:
            var failure = NetworkFailure(.refused, "\(host) refuses the connection")
            failure.isNear = true
            throw failure
        case .unreachable: throw NetworkFailure(.unreachable, "\(host) cannot be reached")
        case .wrongCertificate:
            throw NetworkFailure(.certificate, "\(host) shows a certificate of another name")
        case .silent:
            try await clock.sleep(for: .seconds(30))
            throw NetworkFailure(.silent, "\(host) accepted and fell silent", wasSent: true)
        case .status(let status, let seconds):
            let fields = seconds.map { ["retry-after": "\($0)"] } ?? [:]
            return OutboundAnswer(status, fields, text: "no")
        case .captivePortal:
            let page = "<!DOCTYPE html><title>Welcome, please log in</title>"
            return OutboundAnswer(200, ["content-type": "text/html"], text: page)
        case .slow(let time):
            try await clock.sleep(for: min(time, Self.firstByte))
            return nil
        }
    }

    /// Returns `host` or `host:port` of an absolute URL.
    private static func host(of url: String) -> String {
        guard let start = url.firstRange(of: "://")?.upperBound else { return url }
        let rest = url[start...].prefix { $0 != "/" && $0 != "?" }
        return String(rest.split(separator: "@").last ?? rest)
    }
}
