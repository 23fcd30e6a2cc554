import NIOCore

/// Ends TLS connections to a port without encryption, with an alert that browsers understand.
final class PlainLayer: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Fatal: protocol_version.
    ///
    /// - Source: RFC 5246, section 7.2.
    static let alert: [UInt8] = [21, 3, 1, 0, 2, 2, 70]

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        guard buffer.readableBytesView.first == 22 else {
            context.fireChannelRead(data)
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
            return
        }
        let answer = context.channel.allocator.buffer(bytes: Self.alert)
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        context.close(mode: .all, promise: nil)
    }
}
