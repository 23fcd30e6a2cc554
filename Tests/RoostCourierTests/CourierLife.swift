import ControlProtocol
import Core
import HardwareIO
import Logging
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import StoreQueries

/// A courier with a scripted station and servers of the simulated internet.
final class CourierLife: Sendable {
    static let host = "192.168.1.5:8086"
    static let influx = """
        {"id":"influx","type":"influx1","url":"http://\(host)","database":"air"}
        """

    static let hiddenInflux = """
        {"id":"influx","type":"influx1","url":"http://\(host)","database":"air","user":"u",\
        "password":{"secret":"influx"}}
        """

    /// Secrets by name, which a test may change.
    final class Secrets: SecretSource {
        private let texts = Mutex<[String: String]>([:])

        func set(_ name: String, _ text: String) { texts.withLock { $0[name] = text } }

        func secret(_ name: SecretName) throws(SecretError) -> Secret {
            guard let text = texts.withLock({ $0[name.text] }) else {
                throw SecretError(name, "the secret \(name) is missing")
            }
            return Secret(text)
        }
    }

    /// Pictures that a test puts there.
    final class Pictures: PictureSource {
        private let kept = Mutex<[(sensor: String, instant: MonotonicInstant, NoticePicture)]>([])
        private let trouble = Mutex<NoticePicture.Lack?>(nil)

        func add(_ picture: NoticePicture, of sensor: String, at instant: MonotonicInstant) {
            kept.withLock { $0.append((sensor, instant, picture)) }
        }

        func fail(_ lack: NoticePicture.Lack) { trouble.withLock { $0 = lack } }

        func picture(
            of sensor: String,
            after instant: MonotonicInstant
        ) async throws -> Result<NoticePicture, NoticePictureError> {
            if let lack = trouble.withLock({ $0 }) { return .failure(.init(lack)) }
            let found = kept.withLock { kept in
                kept.last { $0.sensor == sensor && $0.instant >= instant }
            }
            return found.map { .success($0.2) } ?? .failure(.init(.notTaken))
        }
    }

    let clock: SimulatedClock
    let station: ScriptedStation
    let internet: SimulatedInternet
    let server = InfluxServer(.one)
    let secrets = Secrets()
    /// The courier's own folder, and the one that a start of the machine clears.
    let (files, runtime) = (MemoryFiles(), MemoryFiles())
    let pictures = Pictures()
    private let configuration: CourierConfiguration
    /// The kernel's id of the machine's boot.
    let boot = Mutex<BootID?>(BootID(bytes: Array(repeating: 7, count: 16)))
    private let seed: UInt64

    init(
        _ clock: SimulatedClock,
        targets: String = influx,
        receivers: String = "",
        seed: UInt64 = 1
    ) throws {
        (self.clock, self.seed) = (clock, seed)
        station = try ScriptedStation(clock)
        internet = SimulatedInternet(clock: clock)
        internet.add(server, at: Self.host)
        configuration = try Self.read(targets, receivers)
    }

    /// Asks a node one question, as its socket does.
    static func ask<Asked: Question>(
        _ node: CourierNode,
        _ question: Asked,
        for actor: String? = nil
    ) async throws -> Asked.Answer {
        try await CourierQuestions(node: node).table(for: LocalUsers())
            .ask(question, for: actor)
    }

    /// Makes a life from the text of a whole configuration.
    init(_ clock: SimulatedClock, whole text: String, seed: UInt64 = 1) throws {
        (self.clock, self.seed) = (clock, seed)
        station = try ScriptedStation(clock)
        internet = SimulatedInternet(clock: clock)
        internet.add(server, at: Self.host)
        configuration = try CourierConfiguration(Array(text.utf8), file: "courier.json")
    }

    static func read(
        _ targets: String,
        _ receivers: String = "",
        metered: String = "auto"
    ) throws -> CourierConfiguration {
        let network = #""network":{"metered":"\#(metered)"}"#
        let text = "{\"targets\":[\(targets)],\"receivers\":[\(receivers)],\(network)}"
        return try CourierConfiguration(Array(text.utf8), file: "courier.json")
    }

    /// Makes a process that has not started; a restart makes another one.
    ///
    /// - Parameters:
    ///   - routes: The machine's way to other networks; nil where it never changes.
    ///   - seeing: Gets what each target needs of the network.
    /// - Returns: The node, which `run(_:_:)` starts.
    func node(
        routes: (any RouteWatch)? = nil,
        seeing: @escaping @Sendable (CourierDependencies.NetworkNeeds) -> Void = { _ in }
    ) -> CourierNode {
        var logger = Logger(label: "courier") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        let internet = internet
        var world = CourierDependencies(
            link: station,
            history: HistoryDisk(on: station),
            secrets: secrets,
            clock: clock,
            logger: logger
        ) { needs in
            seeing(needs)
            return internet
        }
        (world.seed, world.routes) = (seed, routes)
        (world.files, world.runtime, world.pictures) = (files, runtime, pictures)
        world.boot = boot.withLock { $0 }
        // A zone named by its offset in hours needs no file.
        world.findZone = { name in Int(name).map { hours in Zone { _ in hours * 3_600 } } }
        world.endProcess = { Issue.record("the courier ended itself: \($0)") }
        return CourierNode(configuration, file: "courier.json", in: world)
    }

    /// Runs a node while `body` runs, then kills it.
    func run(
        _ node: CourierNode,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        _ = try await clock.run({ try await node.run() }, unless: body)
    }

    /// Returns the samples of a target, after it has looked for new ones.
    func samples(_ node: CourierNode, at id: String = "influx") async throws -> OutboxSampleCounts {
        let report = await node.report
        let target = try #require(report.targets.first { $0.id == id })
        return try #require(target.samples)
    }

    /// Checks that the sum equals the recorded samples, also after a request under way has ended.
    ///
    /// A report counts up to the request's beginning.
    func demandSum(_ node: CourierNode, at id: String = "influx") async throws {
        let limit = clock.now.advanced(by: .minutes(5))
        while true {
            try await clock.sleep(for: .seconds(20))
            try await node.flush(id, for: .zero)
            let samples = try await samples(node, at: id)
            guard samples.recorded != station.recorded else { return }
            guard clock.now < limit else {
                let report = await node.report
                Issue.record("\(samples) of \(station.recorded) recorded, \(report)")
                return
            }
        }
    }
}
