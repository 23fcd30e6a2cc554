import Logging
import NIOCore

/// Encrypts one connection: the layer between its socket and HTTP.
///
/// It keeps no bytes of its own: what comes is decrypted at once, what goes is encrypted at once,
/// so the bounds of socket and HTTP hold. A slow handshake ends by `ConnectionDeadlines`, which
/// count from the connection's first moment.
final class TLSLayer: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// Bytes that go through OpenSSL at a time: its buffers grow to about this, and not further.
    private static let pieceMax = 8 << 10
    private static let handshakeType: UInt8 = 22

    private let session: TLSSession
    private let logger: Logger
    private var hasBegun = false
    /// Nothing more is read: it was closed in order, refused, or no TLS.
    private var isEnded = false

    init(_ session: TLSSession, _ logger: Logger) {
        self.session = session
        self.logger = logger
    }

    // MARK: From the wire

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        if !hasBegun, let first = buffer.readableBytesView.first {
            hasBegun = true
            guard first == Self.handshakeType else { return refuse(context) }
        }
        while !isEnded, buffer.readableBytes > 0 {
            let count = min(buffer.readableBytes, Self.pieceMax)
            let isTaken = buffer.readWithUnsafeReadableBytes { bytes -> (Int, Bool) in
                (count, session.feed(UnsafeRawBufferPointer(rebasing: bytes[..<count])))
            }
            guard isTaken else { return fail("memory is short", context) }
            pump(context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .some(ChannelEvent.inputClosed) = event as? ChannelEvent {
            // It was passed on when the other side said so.
            guard !isEnded else { return }
            isEnded = true
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func pump(_ context: ChannelHandlerContext) {
        while !isEnded {
            var plain = context.channel.allocator.buffer(capacity: Self.pieceMax)
            var step = TLSSession.Step.waits
            plain.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.pieceMax) { bytes in
                step = session.read(bytes)
                if case .read(let count) = step { return count }
                return 0
            }
            switch step {
            case .waits: return sendWaiting(context)
            case .read: context.fireChannelRead(wrapInboundOut(plain))
            case .closed:
                isEnded = true
                sendWaiting(context)
                context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            case .failed(let words): return fail(words, context)
            }
        }
    }

    /// The alert that OpenSSL wrote goes out first.
    private func fail(_ words: String, _ context: ChannelHandlerContext) {
        isEnded = true
        logger.debug("an encrypted connection was refused: \(words)")
        sendWaiting(context)
        context.close(mode: .all, promise: nil)
    }

    /// A browser that was sent to this port without `https`.
    private func refuse(_ context: ChannelHandlerContext) {
        isEnded = true
        let words = "This port is encrypted: begin the address with https://\n"
        let answer =
            "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
            + "Content-Length: \(words.utf8.count)\r\nConnection: close\r\n\r\n" + words
        context.writeAndFlush(
            wrapOutboundOut(.byteBuffer(ByteBuffer(string: answer))),
            promise: nil
        )
        context.close(mode: .all, promise: nil)
    }

    // MARK: To the wire

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .byteBuffer(var plain) = unwrapOutboundIn(data) else {
            promise?.fail(ChannelError.operationUnsupported)
            return
        }
        var wire = context.channel.allocator.buffer(capacity: plain.readableBytes + 64)
        while plain.readableBytes > 0 {
            let count = min(plain.readableBytes, Self.pieceMax)
            let isWritten = plain.readWithUnsafeReadableBytes { bytes -> (Int, Bool) in
                (count, session.write(UnsafeRawBufferPointer(rebasing: bytes[..<count])))
            }
            guard isWritten else {
                promise?.fail(ChannelError.ioOnClosedChannel)
                return
            }
            drain(into: &wire)
        }
        context.write(wrapOutboundOut(.byteBuffer(wire)), promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode != .input {
            session.close()
            sendWaiting(context)
        }
        context.close(mode: mode, promise: promise)
    }

    private func sendWaiting(_ context: ChannelHandlerContext) {
        guard session.waitingCount > 0 else { return }
        var wire = context.channel.allocator.buffer(capacity: session.waitingCount)
        drain(into: &wire)
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(wire)), promise: nil)
    }

    private func drain(into wire: inout ByteBuffer) {
        while session.waitingCount > 0 {
            wire.writeWithUnsafeMutableBytes(minimumWritableBytes: session.waitingCount) { bytes in
                session.drain(bytes)
            }
        }
    }
}
