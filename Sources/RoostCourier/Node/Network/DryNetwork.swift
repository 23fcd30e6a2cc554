import Synchronization

/// A network for dry runs: it sends nothing and keeps the first message.
package final class DryNetwork: CourierNetwork {
    /// Message that a target wanted to send.
    package enum Message: Hashable, Sendable {
        case request(OutboundRequest)
        /// An upload of so many bytes, which are made while it is sent.
        case upload(OutboundRequest, size: Int)
        case mail(MailMessage)
        case broker(BrokerSettings)
    }

    private let kept = Mutex<Message?>(nil)

    package init() {}

    /// The first message; nil before there is one.
    package var message: Message? { kept.withLock { $0 } }

    package func exchange(_ request: OutboundRequest) async throws -> OutboundAnswer {
        throw keep(.request(request))
    }

    package func upload(
        _ request: OutboundRequest,
        size: Int,
        _ read: @escaping @Sendable () async throws -> [UInt8]?
    ) async throws -> OutboundAnswer {
        throw keep(.upload(request, size: size))
    }

    package func send(_ message: MailMessage) async throws -> OutboundAnswer {
        throw keep(.mail(message))
    }

    package func connect(_ broker: BrokerSettings) async throws -> any BrokerConnection {
        throw keep(.broker(broker))
    }

    private func keep(_ message: Message) -> NetworkFailure {
        kept.withLock { kept in kept = kept ?? message }
        return NetworkFailure(.local, "nothing is sent in a dry run")
    }
}

extension DryNetwork.Message {
    /// All bytes that would be sent, without secrets, for people.
    package var text: String {
        switch self {
        case .request(let request): request.dryRun
        case .upload(let request, let size): request.dryRun + "\(size) bytes of a file"
        case .mail(let message):
            "\(message.url.shown)\nfrom \(message.from) to "
                + message.recipients.joined(separator: ", ") + "\n\n"
                + String(decoding: message.bytes, as: UTF8.self)
        case .broker(let broker):
            "a connection to \(broker.host):\(broker.port) as \(broker.clientID), "
                + (broker.isEncrypted ? "encrypted" : "not encrypted")
        }
    }

    /// Origin of the server that it goes to, such as `https://example.org`.
    package var origin: MaskedText {
        switch self {
        case .request(let request), .upload(let request, _): Self.origin(request.url)
        case .mail(let message): message.url
        case .broker(let broker): MaskedText("mqtt://\(broker.host):\(broker.port)")
        }
    }

    private static func origin(_ url: MaskedText) -> MaskedText {
        let parts = url.revealed.split(
            separator: "/",
            maxSplits: 3,
            omittingEmptySubsequences: false
        )
        return MaskedText(parts.prefix(3).joined(separator: "/"))
    }
}
