import NIOCore

/// Ends the process when no connection was open for a while; systemd holds the socket and starts
/// the process again.
///
/// It sits in the channel of the server: there a connection counts in the step in which it is
/// accepted. A counter in the connection's own pipeline is one task later, and a request that
/// arrives in between would be lost.
final class IdleExit: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let loop: any EventLoop
    private let patience: TimeAmount
    private let end: () -> Void
    private var openCount = 0
    private var ending: Scheduled<Void>?

    init(on loop: any EventLoop, after patience: TimeAmount, end: @escaping () -> Void) {
        (self.loop, self.patience, self.end) = (loop, patience, end)
        arm()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        openCount += 1
        ending?.cancel()
        let bound = NIOLoopBound(self, eventLoop: loop)
        unwrapInboundIn(data).closeFuture.whenComplete { _ in
            bound.value.openCount -= 1
            if bound.value.openCount == 0 { bound.value.arm() }
        }
        context.fireChannelRead(data)
    }

    private func arm() {
        ending = loop.assumeIsolated().scheduleTask(in: patience) {
            if self.openCount == 0 { self.end() }
        }
    }
}
