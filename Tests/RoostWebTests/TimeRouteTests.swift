import ControlProtocol
import HTTPTypes
import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import RoostWeb

/// The answer that a station nearby gets over a real connection, without an account.
@Suite struct TimeRouteTests {
    /// A visitor without an account, where accounts are.
    private struct Stranger: Gate.Authenticator {
        var isClaimed: Bool { true }

        func identity(_ headers: HTTPFields, _ peer: PeerAddress) -> Identity? { nil }
    }

    private typealias Wire = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    @Test func aStationNearbyIsToldTheTimeAndNoMore() async throws {
        var report = ClockReport(
            time: "2026-11-28T12:00:00Z",
            trust: "time server",
            isSure: true,
            uncertaintySeconds: 1
        )
        report.nearby = NearbyClockReport(.contradiction, ["attic", "barn"])
        let answer = try await Self.answer(to: "GET /api/v1/time", by: report)
        let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
        #expect(parts.first?.hasPrefix("HTTP/1.1 200") == true, "\(answer)")
        let body = try ControlCodec.message(ClockReport.self, from: parts.last ?? "")
        report.nearby = nil
        #expect(body == report)
        let more = try await Self.answer(to: "GET /api/v1/station", by: report)
        #expect(more.hasPrefix("HTTP/1.1 401"), "\(more)")
    }

    /// Asks a dashboard whose station says what time it is.
    private static func answer(to line: String, by report: ClockReport) async throws -> String {
        try await OneLineStation.answering(.success(report)) { try await asked(line, $0) }
    }

    private static func asked(_ line: String, _ station: StationClient) async throws -> String {
        let routes = StationRoutes(
            station,
            live: nil,
            name: "t",
            zone: "UTC",
            isSimulated: false
        )
        let gate = Gate(
            RouteTable(routes.all),
            hosts: HostNames(["attic"]),
            authenticator: Stranger()
        )
        var settings = WebServer.Settings()
        settings.sockets = [.address(host: "127.0.0.1", port: 0)]
        let server = WebServer(
            WebResponder(gate, logger: RouteStage.logger),
            settings,
            on: MultiThreadedEventLoopGroup.singleton.next(),
            logger: RouteStage.logger
        )
        let (ports, port) = AsyncStream<Int>.makeStream()
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await server.run { port.yield($0[0]) } }
            defer { tasks.cancelAll() }
            let number = try #require(await ports.first { _ in true })
            let wire = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: number) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try Wire(wrappingChannelSynchronously: channel)
                    }
                }
            return try await wire.executeThenClose { inbound, outbound in
                let head = "\(line) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
                try await outbound.write(ByteBuffer(string: head))
                var text = ""
                for try await part in inbound { text += String(buffer: part) }
                return text
            }
        }
    }
}
