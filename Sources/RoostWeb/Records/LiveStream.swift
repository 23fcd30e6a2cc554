import ControlProtocol
import NIOCore
import NIOPosix

/// The frames of `roost-eyes`, over its socket of the live picture.
package struct LiveStream: Sendable {
    /// Follows until the stream ends; gives what it said last.
    package typealias Follow =
        @Sendable (_ take: @escaping @Sendable ([UInt8]) -> Void) async throws
        -> LivePictureReport?

    let follow: Follow

    init(_ follow: @escaping Follow) { self.follow = follow }

    package init(path: String, on loop: any EventLoop) {
        self.init { try await Self.follow(path, on: loop, $0) }
    }

    private static func follow(
        _ path: String,
        on loop: any EventLoop,
        _ take: @escaping @Sendable ([UInt8]) -> Void
    ) async throws -> LivePictureReport? {
        typealias Wire = NIOAsyncChannel<ByteBuffer, ByteBuffer>
        let wire: Wire
        do {
            wire = try await ClientBootstrap(group: loop)
                .connectTimeout(TimeAmount(StationClient.patience))
                .channelOption(
                    .recvAllocator,
                    value: AdaptiveRecvByteBufferAllocator(
                        minimum: 4_096,
                        initial: 65_536,
                        maximum: 1 << 20
                    )
                )
                .connect(unixDomainSocketPath: path) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try Wire(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            throw Problem(.stationDown, "no live picture at \(path) (\(error))")
        }
        return try await wire.executeThenClose { inbound, _ in
            var waiting = ByteBuffer()
            var last: LivePictureReport?
            for try await part in inbound {
                waiting.writeImmutableBuffer(part)
                while let message = try Self.next(&waiting) {
                    switch message {
                    case .frame(let bytes): take(bytes)
                    case .state(let report): last = report
                    }
                }
                waiting.discardReadBytes()
            }
            return last
        }
    }

    /// Reads the next message; nil while it is incomplete.
    static func next(_ buffer: inout ByteBuffer) throws -> LivePictureMessage? {
        let size = LivePictureMessage.headSize
        guard let bytes = buffer.getBytes(at: buffer.readerIndex, length: size) else { return nil }
        guard let head = LivePictureMessage.head(bytes) else {
            throw Problem(.internal, "roost-eyes sent what is no live picture")
        }
        guard buffer.readableBytes >= size + head.count else { return nil }
        buffer.moveReaderIndex(forwardBy: size)
        guard let body = buffer.readBytes(length: head.count),
            let message = LivePictureMessage(isFrame: head.isFrame, body)
        else { throw Problem(.internal, "roost-eyes sent a state that cannot be read") }
        return message
    }
}
