import ArgumentParser
import ClientSupport
import Core
import Devices
import HardwareIO
import LinuxIO
import LinuxPlatform
import Profiles
import Synchronization

/// Where to listen: an IPv4 address and a port, such as `127.0.0.1:8080`.
struct ListenArgument: ExpressibleByArgument {
    let address: [UInt8]
    let port: UInt16

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let port = UInt16(parts[1]) else { return nil }
        let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let bytes = numbers.compactMap { UInt8($0) }
        guard numbers.count == 4, bytes.count == 4 else { return nil }
        (address, self.port) = (bytes, port)
    }

    init(_ address: [UInt8], _ port: UInt16) { (self.address, self.port) = (address, port) }

    var isLoopback: Bool { address[0] == 127 }

    var defaultValueDescription: String { "127.0.0.1 and any free port" }
}

extension HTTPLineSimulator.Fault: ExpressibleByArgument {}

struct HTTPSimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http",
        abstract: "A simulated HTTP device that any program can query.",
        discussion: """
            Prints `ready http://ADDRESS:PORT/`, then answers GET with a line of values, and POST \
            with `POST received`, until interrupted.

            Examples: roost simulator http --listen 127.0.0.1:8080 --profile milano-board
                      roost simulator http --profile my-board --profiles . --fault nan

            Faults: \(HTTPLineSimulator.Fault.allCases.map(\.rawValue).joined(separator: ", ")).
            """
    )

    @Option(help: "An IPv4 address of this machine and a port; 0 picks a free one.")
    var listen = ListenArgument([127, 0, 0, 1], 0)

    @Option(help: "Id of a profile of kind http.")
    var profile = "milano-board"

    @Option(help: "A folder of your own profiles, besides the shipped ones.")
    var profiles: String?

    @Option(help: "Seed of everything that needs chance.")
    var seed: UInt64 = 1

    @Option(help: "The fault of the device.")
    var fault: HTTPLineSimulator.Fault?

    @Flag(help: "Listen where other machines can ask, too.")
    var beyondLoopback = false

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func validate() throws {
        guard listen.isLoopback || beyondLoopback else {
            throw ValidationError("only 127.0.0.0/8, unless --beyond-loopback is given")
        }
    }

    func run() throws {
        let catalog = StationFiles.catalog(profiles)
        for line in catalog.problems.flatMap(\.lines) { Output.error(line) }
        let httpDevices = catalog.profiles.filter { $0.kind == .http }
        guard let device = httpDevices.first(where: { $0.id == profile }) else {
            let known = httpDevices.map(\.id).joined(separator: ", ")
            throw ValidationError("no HTTP device is named \(profile); known are \(known)")
        }
        SignalMonitor.block()
        var simulator = try HTTPLineSimulator(device, seed: seed)
        simulator.fault = fault
        let loop = try EventLoop()
        let signals = try SignalMonitor(on: loop)
        let listener = try HTTPListener(address: listen.address, port: listen.port, on: loop)
        defer { listener.close() }
        let address = listen.address.map { "\($0)" }.joined(separator: ".")
        ReadyLine(path: "http://\(address):\(listener.port)/", link: nil).show(asJSON: json)
        let state = SimulatorState(simulator)
        try loop.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await signals.next() }
                group.addTask { try await listener.run { state.answer($0) } }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }
}

/// The HTTP device that all connections share.
private final class SimulatorState: Sendable {
    private let device: Mutex<HTTPLineSimulator>

    init(_ device: HTTPLineSimulator) { self.device = Mutex(device) }

    func answer(_ request: HTTPRequest) -> HTTPResponse? {
        device.withLock { $0.answer(request.method) }
    }
}
