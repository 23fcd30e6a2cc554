import Glibc
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves one responder on listening sockets, on one loop and one thread.
package struct WebServer: Sendable {
    package enum Socket: Hashable, Sendable {
        /// Opened by systemd.
        case inherited(CInt)
        case address(host: String, port: Int)
    }

    package struct Settings: Sendable {
        package var sockets: [Socket] = []
        /// Sockets that speak TLS.
        package var encrypted: [Socket] = []
        /// Gives them their certificates.
        package var encryption: Encryption?
        /// Ends the process after so long without a connection; nil never.
        package var idleSeconds: Int64?
        /// Shared by all servers of a process.
        package var connections = IdleExit.Count()
        var connectionMax = 64
        /// Whether a person is logged in at an address; they may replace a stranger's connection.
        package var isKnown: @Sendable (_ address: String) -> Bool = { _ in false }

        package init() {}
    }

    private typealias Wire = HTTPConnection.Wire
    private typealias Listener = NIOAsyncChannel<Accepted, Never>

    private struct Accepted: Sendable {
        let wire: Wire
        /// False when the limit of connections was reached.
        let isAdmitted: Bool
    }

    private static let decoderLimits: NIOHTTPDecoderLimitConfiguration = {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 8_192
        limits.maxHeaderListSize = 16_384
        limits.maxHeaderFieldCount = 64
        return limits
    }()

    private let responder: WebResponder
    private let settings: Settings
    private let loop: any EventLoop
    private let logger: Logger

    package init(
        _ responder: WebResponder,
        _ settings: Settings,
        on loop: any EventLoop,
        logger: Logger
    ) {
        self.responder = responder
        self.settings = settings
        self.loop = loop
        self.logger = logger
    }

    /// Serves until the task is cancelled.
    ///
    /// - Parameter ready: Called once with the ports that are listened on.
    /// - Throws: When a socket cannot be opened.
    package func run(ready: @escaping @Sendable ([Int]) -> Void) async throws {
        let count = ConnectionCount(limit: settings.connectionMax, isKnown: settings.isKnown)
        var listeners: [(listener: Listener, isEncrypted: Bool)] = []
        for socket in settings.sockets {
            listeners.append((try await open(socket, count, nil), false))
        }
        for socket in settings.encrypted {
            listeners.append((try await open(socket, count, settings.encryption), true))
        }
        ready(listeners.compactMap { $0.listener.channel.localAddress?.port })
        let (opened, responder, logger) = (listeners, responder, logger)
        try await withThrowingDiscardingTaskGroup { group in
            for (listener, isEncrypted) in opened {
                group.addTask {
                    try await withThrowingDiscardingTaskGroup { connections in
                        try await listener.executeThenClose { inbound in
                            for try await connection in inbound {
                                connections.addTask {
                                    await HTTPConnection(
                                        connection.wire,
                                        isEncrypted: isEncrypted,
                                        connection.isAdmitted ? responder : nil,
                                        logger
                                    ).serve()
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Listens; `encryption` belongs to a socket that speaks TLS.
    private func open(
        _ socket: Socket,
        _ count: ConnectionCount,
        _ encryption: Encryption?
    ) async throws -> Listener {
        let (idle, connections, logger) = (settings.idleSeconds, settings.connections, logger)
        let bootstrap = ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let idle else { return }
                    let handler = IdleExit(
                        on: channel.eventLoop,
                        after: .seconds(idle),
                        counting: connections
                    ) {
                        logger.info("no connection for \(idle) s: ends until the next one")
                        exit(0)
                    }
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(
                .writeBufferWaterMark,
                value: ChannelOptions.Types.WriteBufferWaterMark(low: 8 << 10, high: 64 << 10)
            )
        let setup: @Sendable (any Channel) -> EventLoopFuture<Accepted> = { channel in
            let isAdmitted = count.admit(channel)
            let (loop, address) = (channel.eventLoop, channel.localAddress?.ipAddress)
            guard let encryption else {
                return loop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(PlainLayer())
                    return Accepted(wire: try Self.setUp(channel), isAdmitted: isAdmitted)
                }
            }
            return encryption.context(for: address, on: loop).flatMapThrowing { context in
                try Self.encrypt(channel, context, logger)
                return Accepted(wire: try Self.setUp(channel), isAdmitted: isAdmitted)
            }
        }
        switch socket {
        case .inherited(let descriptor):
            return try await bootstrap.bind(descriptor, childChannelInitializer: setup)
        case .address(let host, let port):
            do {
                return try await bootstrap.bind(
                    host: host,
                    port: port,
                    childChannelInitializer: setup
                )
            } catch {
                let number = (error as? IOError)?.errnoCode
                throw WebServerError(host: host, port: port, errno: number, words: "\(error)")
            }
        }
    }

    /// Puts TLS below HTTP.
    private static func encrypt(
        _ channel: any Channel,
        _ context: TLSContext?,
        _ logger: Logger
    ) throws {
        // The log has the reason.
        guard let context else { return channel.close(promise: nil) }
        let layer = TLSLayer(try TLSSession(context), logger)
        try channel.pipeline.syncOperations.addHandler(layer)
    }

    private static func setUp(_ channel: any Channel) throws -> Wire {
        let pipeline = channel.pipeline.syncOperations
        // Requests of one connection are answered one after the other, so no assistance is needed.
        try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: false,
            withErrorHandling: false,
            withOutboundHeaderValidation: true,
            withEncoderConfiguration: HTTPResponseEncoder.Configuration(),
            withDecoderLimitConfiguration: decoderLimits
        )
        try pipeline.addHandler(ConnectionDeadlines())
        return try Wire(
            wrappingChannelSynchronously: channel,
            configuration: Wire.Configuration(isOutboundHalfClosureEnabled: true)
        )
    }
}
