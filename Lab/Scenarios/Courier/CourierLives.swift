import ControlProtocol
import Core
import HardwareIO
import Logging
import RoostCourier
import SimulationKit

/// The courier beside a station, started again after each kill, until the machine ends.
///
/// Unchecked: one simulation is one thread.
final class CourierLives: @unchecked Sendable {
    static let target = "server"
    /// systemd's `RestartSec`.
    private static let restartPause: Duration = .seconds(5)
    private static let text = """
        {"targets":[{"id":"\(target)","type":"webhook","url":"http://\(ServerNetwork.host)/"}]}
        """

    private unowned let machine: Machine
    private var chance: SplitMix64
    private var node: CourierNode?
    private var killed = Signal()

    init(on machine: Machine, seed: UInt64) {
        (self.machine, chance) = (machine, SplitMix64(seed: seed ^ 0xC0))
    }

    /// Ends the process here, and lets another one begin.
    func kill() {
        guard node != nil else { return }
        machine.world.fire(.courierKill)
        killed.raise()
    }

    func run() async throws {
        let configuration = try CourierConfiguration(Array(Self.text.utf8), file: "courier.json")
        while !Task.isCancelled, !machine.isDead {
            let (killed, clock) = (Signal(), machine.clock)
            self.killed = killed
            let node = CourierNode(configuration, file: "courier.json", in: world)
            self.node = node
            do {
                _ = try await clock.run {
                    try await node.run()
                } unless: {
                    _ = try await clock.wait(for: killed, until: nil, tolerance: .zero)
                }
            } catch let error where !(error is CancellationError) {
                record("the courier ended: \(error)")
            }
            self.node = nil
            try await clock.sleep(for: Self.restartPause)
        }
    }

    /// How the courier sees the target; nil while it does not run or has not begun.
    func counts() async -> OutboxSampleCounts? {
        await node?.report.targets.first { $0.id == Self.target }?.samples
    }

    /// Tries what waits at once, and waits for it to go.
    func flush() async throws { try await node?.flush(Self.target, for: .minutes(2)) }

    private func record(_ fault: String) {
        guard !machine.isDead else { return }
        machine.world.records.courierFaults.append(fault)
    }

    private var world: CourierDependencies {
        var logger = Logger(label: "courier") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        let (network, link) = (
            ServerNetwork(of: machine), SimulatedStationFollower(machine: machine)
        )
        var world = CourierDependencies(
            link: link,
            history: HistoryDisk(on: link),
            secrets: NoSecrets(),
            clock: machine.clock,
            logger: logger
        ) { _ in network }
        world.seed = chance.next()
        world.endProcess = { [weak self] reason in
            self?.record("the courier ended itself: \(reason)")
            self?.killed.raise()
        }
        return world
    }
}

/// The station of a machine over its control socket, and its history's files.
///
/// Unchecked: one simulation is one thread.
private struct SimulatedStationFollower: QuestionClient, DiskWork, @unchecked Sendable {
    private static let patience: Duration = .seconds(10)

    let machine: Machine

    func exchange(_ question: String, within limit: Duration?) async throws -> String {
        guard !machine.isDead else { throw StationDown("the machine is off") }
        let connection = machine.base.socket.connect()
        defer { connection.close() }
        try connection.send(question)
        let clock = machine.clock
        let answered = try await clock.run {
            try await connection.nextLine()
        } unless: {
            try await clock.sleep(for: limit ?? Self.patience, tolerance: .seconds(1))
        }
        guard !machine.isDead, let line = answered ?? nil else {
            throw StationDown("the station does not answer")
        }
        // Only a question that waits has a limit.
        guard machine.world.planted == .skippedTail, limit != nil,
            let report = try? ControlCodec.body(TailReport.self, from: line)
        else { return line }
        return try ControlCodec.line(ControlAnswer(.success(skipped(report))))
    }

    /// The same without its records, for one report in ten; see `PlantedBug`.
    private func skipped(_ report: TailReport) -> TailReport {
        guard machine.now.nanoseconds / 1_000_000_000 % 10 == 0 else { return report }
        return TailReport(
            folder: report.folder,
            bootID: report.bootID,
            nowSeconds: report.nowSeconds,
            parts: [],
            next: report.next
        )
    }

    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        guard !machine.isDead else { throw CancellationError() }
        return try body()
    }
}

private struct NoSecrets: SecretSource {
    func secret(_ name: SecretName) throws(SecretError) -> Secret {
        throw SecretError(name, "there are no secrets")
    }
}
