import ControlProtocol
import NIOCore
import NIOPosix
import TestSupport

@testable import RoostWeb

/// A station's socket that answers every question with the same line.
enum OneLineStation {
    private typealias Wire = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Runs `body` with a client of such a station, which waits however busy the machine is.
    static func answering<Answer: Codable & Sendable, Value: Sendable>(
        _ result: Result<Answer, ControlFailure>,
        _ body: (StationClient) async throws -> Value
    ) async throws -> Value {
        let folder = try TestFolder(isInMemory: true)
        let group = MultiThreadedEventLoopGroup.singleton
        let text = try ControlCodec.line(ControlAnswer(result))
        let path = folder.path("roost.sock")
        let station = try await ServerBootstrap(group: group).bind(unixDomainSocketPath: path) {
            channel in
            channel.eventLoop.makeCompletedFuture {
                try Wire(wrappingChannelSynchronously: channel)
            }
        }
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                try await station.executeThenClose { calls in
                    for try await call in calls {
                        try await call.executeThenClose { inbound, outbound in
                            for try await _ in inbound {
                                try await outbound.write(ByteBuffer(string: text + "\n"))
                            }
                        }
                    }
                }
            }
            defer { tasks.cancelAll() }
            return try await body(
                StationClient(path: path, on: group.next(), patience: .seconds(3_600))
            )
        }
    }
}
