import NIOCore
import Synchronization

/// Ends the process when no connection was open for a while; systemd holds the socket and starts
/// the process again.
///
/// It sits in the channel of the server: there a connection counts in the step in which it is
/// accepted. A counter in the connection's own pipeline is one task later, and a request that
/// arrives in between would be lost.
package final class IdleExit: ChannelInboundHandler {
    package typealias InboundIn = any Channel

    /// The connections of all of a process's sockets: one in use keeps the others open.
    package final class Count: Sendable {
        private struct State {
            var open = 0
            var lastClosed = NIODeadline.now()
        }

        private let state = Mutex(State())
        /// Whether the process has data that is not on the card yet.
        fileprivate let isHeld: @Sendable () -> Bool

        package init(isHeld: @escaping @Sendable () -> Bool = { false }) { self.isHeld = isHeld }

        fileprivate func opened() { state.withLock { $0.open += 1 } }

        /// - Returns: Whether it was the last.
        fileprivate func closed() -> Bool {
            state.withLock { state in
                state.open -= 1
                state.lastClosed = .now()
                return state.open == 0
            }
        }

        /// Time since which no connection is open; nil while one is.
        fileprivate var idleSince: NIODeadline? {
            state.withLock { $0.open == 0 ? $0.lastClosed : nil }
        }
    }

    private let loop: any EventLoop
    private let patience: TimeAmount
    private let count: Count
    private let end: () -> Void
    private var ending: Scheduled<Void>?

    init(
        on loop: any EventLoop,
        after patience: TimeAmount,
        counting count: Count,
        end: @escaping () -> Void
    ) {
        (self.loop, self.patience, self.count, self.end) = (loop, patience, count, end)
        arm()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        count.opened()
        ending?.cancel()
        let bound = NIOLoopBound(self, eventLoop: loop)
        unwrapInboundIn(data).closeFuture.whenComplete { _ in
            if bound.value.count.closed() { bound.value.arm() }
        }
        context.fireChannelRead(data)
    }

    /// Each socket has a timer of its own; the one that fires last ends the process.
    private func arm() {
        ending?.cancel()
        ending = loop.assumeIsolated().scheduleTask(in: patience) {
            guard let since = self.count.idleSince, since + self.patience <= .now() else { return }
            if self.count.isHeld() { self.arm() } else { self.end() }
        }
    }
}
