import Core
import Synchronization

/// The network of one target.
///
/// It applies the target's time limit, counts requests and bytes, and masks secrets in failures
/// and answers. While it is halted, for a pause or to spare a metered connection, it sends nothing.
package final class TargetNetwork: CourierNetwork {
    private struct State {
        var requestCount = 0
        var byteCount = 0
        var isHalted = false
        /// Secrets of the target; at most as many as its entry names.
        var secrets: Set<String> = []
    }

    private let network: any CourierNetwork
    private let timeoutSeconds: Int?
    private let failed: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - timeoutSeconds: Limit for a whole request, 1…600; nil keeps the limit of each request.
    ///   - failed: Called after each request that fails, but not for status 304 or while halted.
    package init(
        _ network: any CourierNetwork,
        timeoutSeconds: Int? = nil,
        failed: @escaping @Sendable () -> Void = {}
    ) {
        (self.network, self.timeoutSeconds, self.failed) = (network, timeoutSeconds, failed)
    }

    /// Requests, and bytes of mails, HTTP bodies and HTTP answers, since `init`; no MQTT bytes.
    package var counts: (requests: Int, bytes: Int) {
        state.withLock { ($0.requestCount, $0.byteCount) }
    }

    /// Hides a secret in every text of a server, besides the secrets of each request.
    func hide(_ secret: Secret) {
        state.withLock { _ = $0.secrets.insert(secret.reveal()) }
    }

    /// Halts the network, or lets it go on; while it is halted, every request fails at once.
    func halt(_ isHalted: Bool) { state.withLock { $0.isHalted = isHalted } }

    package func exchange(_ request: OutboundRequest) async throws -> OutboundAnswer {
        try count(request.body.count)
        return try await followed(request.secrets) {
            try received(await network.exchange(bounded(request)), to: request)
        }
    }

    package func upload(
        _ request: OutboundRequest,
        size: Int,
        _ read: @escaping @Sendable () async throws -> [UInt8]?
    ) async throws -> OutboundAnswer {
        try count(size)
        return try await followed(request.secrets) {
            let answer = try await network.upload(bounded(request), size: size, read)
            return try received(answer, to: request)
        }
    }

    package func send(_ message: MailMessage) async throws -> OutboundAnswer {
        try count(message.bytes.count)
        let secrets = message.url.secrets + [message.password?.reveal() ?? ""]
        return try await followed(secrets) { try await network.send(message) }
    }

    package func connect(_ broker: BrokerSettings) async throws -> any BrokerConnection {
        try count(0)
        do { return try await network.connect(broker) } catch {
            failed()
            throw shown(error, without: [broker.password?.reveal() ?? ""])
        }
    }

    /// Runs an exchange, calls `failed` if it fails, and hides secrets in its answer.
    private func followed(
        _ secrets: [String],
        _ exchange: () async throws -> OutboundAnswer
    ) async throws -> OutboundAnswer {
        do {
            var answer = try await exchange()
            if !answer.isSuccess, answer.status != 304 { failed() }
            answer.secrets = hidden(secrets)
            return answer
        } catch {
            failed()
            throw shown(error, without: secrets)
        }
    }

    private func hidden(_ more: [String]) -> [String] {
        Array(state.withLock { $0.secrets }.union(more))
    }

    private func shown(_ error: any Error, without secrets: [String]) -> any Error {
        guard let failure = error as? NetworkFailure else { return error }
        let words = ForeignText.masked(failure.words, hidden(secrets))
        var shown = NetworkFailure(
            failure.stage,
            words,
            wasSent: failure.wasSent,
            code: failure.code
        )
        shown.isNear = failure.isNear
        return shown
    }

    private func bounded(_ request: OutboundRequest) -> OutboundRequest {
        guard let timeoutSeconds else { return request }
        var request = request
        request.timeoutSeconds = timeoutSeconds
        return request
    }

    /// Counts an answer; a redirection to `https` of the same host is a failure.
    ///
    /// The owner has to correct that URL.
    private func received(
        _ answer: OutboundAnswer,
        to request: OutboundRequest
    ) throws(NetworkFailure) -> OutboundAnswer {
        state.withLock { $0.byteCount += answer.body.count }
        guard let origin = answer.secureOrigin(of: request.url) else { return answer }
        throw NetworkFailure(.redirected, "it sends you to \(origin); put that address in `url`")
    }

    private func count(_ bytes: Int) throws(NetworkFailure) {
        let isHalted = state.withLock { state in
            if !state.isHalted {
                state.requestCount += 1
                state.byteCount += bytes
            }
            return state.isHalted
        }
        guard !isHalted else {
            throw NetworkFailure(.unreachable, "waits for a connection that is not metered")
        }
    }
}

/// The secrets of one target; each is also registered with its network, which hides it.
struct HiddenSecrets: SecretSource {
    let secrets: any SecretSource
    let network: TargetNetwork

    func secret(_ name: SecretName) throws(SecretError) -> Secret {
        let secret = try secrets.secret(name)
        network.hide(secret)
        return secret
    }
}
