import ControlProtocol
import Core
import CourierSimulation
import HardwareIO
import Logging
import RoostCourier
import SimulationKit
import Synchronization

/// A courier beside the station of a soak: two targets and a heartbeat, whose servers count and
/// keep nothing.
///
/// Each day the servers refuse for an hour, the network is gone for another, and answers get lost
/// for a third; each week the process ends and another follows.
final class SoakCourier: Sendable {
    private static let influx = "192.168.1.5:8086"
    private static let hook = "192.168.1.6"
    private static let text = """
        {"targets": [
          {"id": "influx", "type": "influx1", "url": "http://\(influx)", "database": "air"},
          {"id": "hook", "type": "webhook", "url": "http://\(hook)/"},
          {"id": "beat", "type": "heartbeat", "url": "http://\(hook)/beat"}]}
        """

    /// Takes everything; counts the lines of it.
    private final class CountingServer: SimulatedServer {
        private let status: Int
        private let lines = Mutex(0)

        init(_ status: Int) { self.status = status }

        var lineCount: Int { lines.withLock { $0 } }

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            let count = request.body.reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
            lines.withLock { $0 += count }
            return OutboundAnswer(status, text: "")
        }
    }

    private let platform: SoakPlatform
    private let internet: SimulatedInternet
    private let influxServer = CountingServer(204)
    private let ended = Mutex(Signal())
    private let isStopped = Mutex(false)
    private let node = Mutex<CourierNode?>(nil)

    init(beside platform: SoakPlatform) {
        self.platform = platform
        internet = SimulatedInternet(clock: platform.clock)
        internet.add(influxServer, at: Self.influx)
        internet.add(CountingServer(200), at: Self.hook)
    }

    /// Ends the process; no other follows.
    func stop() {
        isStopped.withLock { $0 = true }
        ended.withLock { $0.raise() }
    }

    /// Runs one process after the other, until `stop()`.
    func run() async throws {
        let configuration = try CourierConfiguration(Array(Self.text.utf8), file: "courier.json")
        let clock = platform.clock
        while !isStopped.withLock({ $0 }) {
            let signal = Signal()
            ended.withLock { $0 = signal }
            let node = CourierNode(configuration, file: "courier.json", in: world)
            self.node.withLock { $0 = node }
            _ = try await clock.run {
                try await node.run()
            } unless: {
                _ = try await clock.wait(for: signal, until: nil, tolerance: .zero)
            }
            self.node.withLock { $0 = nil }
            try await clock.sleep(for: .seconds(5))
        }
    }

    /// What happens at the beginning of an hour.
    func begin(hour: Int, of day: Int) {
        internet.set(hour == 3 ? .status(503, retryAfterSeconds: nil) : nil, at: Self.influx)
        internet.set(hour == 9 ? .answerLost : nil, at: Self.hook)
        internet.setDown(hour == 15)
        if hour == 12, day % 7 == 0 { ended.withLock { $0.raise() } }
    }

    /// Requests, and lines of samples that InfluxDB's stand-in took.
    var counts: (requests: Int, lines: Int) { (internet.exchangeCount, influxServer.lineCount) }

    /// Samples that the target `influx` was sent, and that wait for it; nil while nothing runs.
    func samples() async -> OutboxSampleCounts? {
        guard let node = node.withLock({ $0 }) else { return nil }
        return await node.report.targets.first { $0.id == "influx" }?.samples
    }

    private var world: CourierDependencies {
        let logger = Logger(label: "soak") { _ in SwiftLogNoOpLogHandler() }
        let link = SoakLink(base: platform.base)
        let internet = internet
        var world = CourierDependencies(
            link: link,
            history: HistoryDisk(on: link),
            secrets: NoSecrets(),
            clock: platform.clock,
            logger: logger
        ) { _ in internet }
        world.endProcess = { fatalError($0) }
        return world
    }
}

/// The station over its control socket, and its history's files.
private struct SoakLink: QuestionClient, DiskWork {
    let base: SimulatedPlatform

    func exchange(_ line: String, within limit: Duration?) async throws -> String {
        let connection = base.socket.connect()
        defer { connection.close() }
        do {
            return try await connection.exchange(line, within: limit, on: base.clock)
        } catch let error as LocalSocketError { throw StationDown("\(error)") }
    }

    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        return try body()
    }
}

private struct NoSecrets: SecretSource {
    func secret(_ name: SecretName) throws(SecretError) -> Secret {
        throw SecretError(name, "there are no secrets")
    }
}
