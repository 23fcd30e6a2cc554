import ControlProtocol
import NIOCore
import NIOEmbedded
import Testing

@testable import RoostWeb

@Suite struct LiveBroadcasterTests {
    /// A page that never reads on; it ends with its task.
    private static func stall() async throws {
        for await _ in AsyncStream<Void>.makeStream().stream {}
        throw CancellationError()
    }

    @Test func noMorePagesFollowThanItsBound() async {
        let loop = NIOAsyncTestingEventLoop()
        let fan = LiveBroadcaster(
            StationClient(path: "/none", on: loop),
            clientVersion: "a",
            on: loop,
            seed: 1
        )
        let refused = await withTaskGroup(of: Problem?.self) { group in
            for _ in 0..<LiveBroadcaster.listenerMax + 8 {
                group.addTask {
                    do {
                        try await fan.serve(after: nil, while: { true }) { _ in
                            try await Self.stall()
                        }
                        return nil
                    } catch {
                        return error as? Problem
                    }
                }
            }
            var refused: [Problem] = []
            for _ in 0..<8 {
                if let problem = await group.next() ?? nil { refused.append(problem) }
            }
            #expect(fan.listenerCount == LiveBroadcaster.listenerMax)
            group.cancelAll()
            return refused
        }
        #expect(refused.map(\.kind) == Array(repeating: .busy, count: 8))
        #expect(fan.listenerCount == 0)
    }
}
