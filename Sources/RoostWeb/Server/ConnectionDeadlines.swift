import NIOCore
import NIOHTTP1

/// Closes a connection that is too slow: 10 s for a head, 30 s for a body, 60 s between requests,
/// 30 s for taking what waits for it.
final class ConnectionDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    static let headLimit = TimeAmount.seconds(10)
    static let bodyLimit = TimeAmount.seconds(30)
    static let idleLimit = TimeAmount.seconds(60)
    static let writeLimit = TimeAmount.seconds(30)

    private var reading: Scheduled<Void>?
    private var writing: Scheduled<Void>?

    func handlerAdded(context: ChannelHandlerContext) { expect(Self.headLimit, context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: expect(Self.bodyLimit, context)
        case .body: break
        // The answer may take its time; the next request may too, once it is sent.
        case .end: reading?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { expect(Self.idleLimit, context) }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        writing?.cancel()
        writing = nil
        if !context.channel.isWritable {
            let channel = context.channel
            writing = context.eventLoop.scheduleTask(in: Self.writeLimit) {
                channel.close(promise: nil)
            }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { cancel() }

    private func cancel() {
        reading?.cancel()
        writing?.cancel()
    }

    private func expect(_ limit: TimeAmount, _ context: ChannelHandlerContext) {
        reading?.cancel()
        let channel = context.channel
        reading = context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
    }
}
