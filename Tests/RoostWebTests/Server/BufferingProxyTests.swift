import HTTPTypes
import NIOEmbedded
import Synchronization
import Testing

@testable import RoostWeb

/// Streamed answers behind a reverse proxy that buffers answers, as nginx does by default.
@Suite struct BufferingProxyTests {
    /// Holds an answer back, its head too, until a buffer is full or the answer ends.
    ///
    /// - Source: nginx, *ngx_http_proxy_module*: `proxy_buffering` is on unless the answer has
    ///   `X-Accel-Buffering: no`; `proxy_buffer_size` is a page of memory.
    private final class Proxy: Sendable {
        static let size = 4_096

        private struct State {
            var held: [UInt8] = []
            var passed: [UInt8] = []
        }

        private let state = Mutex(State())
        var passed: String { state.withLock { String(decoding: $0.passed, as: UTF8.self) } }

        /// Passes an answer on, until it ends or enough came through.
        func carry(_ response: WebResponse, _ isEnough: @escaping @Sendable (String) -> Bool)
            async throws
        {
            guard case .stream(let make) = response.body else { return }
            let field = try #require(HTTPField.Name("x-accel-buffering"))
            let isHolding = response.headers[field] != "no"
            try await make { piece in
                self.state.withLock { state in
                    state.held += piece
                    guard !isHolding || state.held.count >= Self.size else { return }
                    state.passed += state.held
                    state.held = []
                }
                guard !isEnough(self.passed) else { throw CancellationError() }
            }
            state.withLock { $0.passed += $0.held }
        }
    }

    private static func stage() -> RouteStage {
        let loop = NIOAsyncTestingEventLoop()
        let fan = LiveBroadcaster(
            StationClient(path: "/none", on: loop),
            clientVersion: "a",
            on: loop,
            seed: 1
        )
        return RouteStage([
            Route(.get, "/live", .viewer) { _ in
                WebResponse(
                    body: .stream { write in
                        try await fan.serve(after: "gone", while: { true }) { piece in
                            try await write(piece)
                            // The page is gone: nothing else comes before a beat.
                            guard !piece.starts(with: Array("event: reset".utf8)) else {
                                throw CancellationError()
                            }
                        }
                    }
                )
            },
            Route(.get, "/pieces", .viewer) { _ in
                WebResponse(
                    body: .stream { write in
                        for piece in 0..<100 {
                            try await write([UInt8](repeating: 97, count: piece))
                        }
                    }
                )
            },
        ])
    }

    @Test func aLiveStreamBeginsAtOnce() async throws {
        let response = await Self.stage().ask("/live")
        let proxy = Proxy()
        try? await proxy.carry(response) { _ in false }
        #expect(proxy.passed.hasPrefix("retry: 3000\n\nevent: hello"), "\(proxy.passed)")
    }

    /// Each streamed download starts with its first piece.
    @Test func aDownloadBeginsAtOnce() async throws {
        let response = await Self.stage().ask("/pieces")
        let proxy = Proxy()
        try? await proxy.carry(response) { !$0.isEmpty }
        #expect(proxy.passed == "a")
    }

    /// The double buffers answers that do not forbid it.
    @Test func withoutTheFieldNothingComes() async throws {
        var response = await Self.stage().ask("/live")
        let field = try #require(HTTPField.Name("x-accel-buffering"))
        response.headers[field] = nil
        let proxy = Proxy()
        try? await proxy.carry(response) { _ in false }
        #expect(proxy.passed.isEmpty)
    }
}
