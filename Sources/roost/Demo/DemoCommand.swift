import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Glibc
import HardwareIO
import LinuxIO
import Synchronization

struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "A whole station without any hardware, live on the terminal.",
        discussion: """
            Starts a simulated SDS011 on a real pseudo-terminal and a real node that reads it;
            motion sensor and lamp are simulated. Shows what `roost watch` shows of a station:
            lamp, values, faults, devices, events and what the node itself costs; `q` ends it.
            Not on a terminal it prints what happens.

            Examples: roost demo
                      roost demo --for 30s
                      roost demo --for 10s --json

            Exit code 0 when readings, lamp changes and motion were seen; interrupted early: 0.
            """
    )

    @Option(name: .customLong("for"), help: "How long: 30s, 2m. Default: until interrupted.")
    var length: DurationArgument?

    @Option(help: "Seed of the simulated world.")
    var seed: UInt64 = 1

    @Flag(help: "Print the live stream as JSON, and the station's status at the end.")
    var json = false

    func run() throws {
        SignalMonitor.block(TerminalScreen.signals)
        let loop = try EventLoop()
        let signals = try SignalMonitor(TerminalScreen.signals, on: loop)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let stage = DemoStage(folder: folder.path, seed: seed, loop: loop)
        let show = DemoShow(length: length?.duration, json: json, stage: stage)
        // Our children end when our end of their pipes does; folder and terminal are ours.
        Output.lastWill.withLock {
            $0 = {
                show.leave()
                folder.remove()
            }
        }
        let outcome = Result { try loop.run { try await show.run(signals) } }
        let isClean = try loop.run { try await stage.clear() }
        try show.conclude(wasInterrupted: outcome.get(), isClean: isClean)
    }
}

/// A folder of our own under the temporary directory.
struct TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/roost-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw ClientFailure(
                message: "\(base): no folder can be made, errno \(errno)",
                exitCode: 1
            )
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes the folder and the files in it.
    func remove() {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                unlink("\(path)/\(name)")
            }
            closedir(directory)
        }
        rmdir(path)
    }
}

/// The two processes behind the demo: sensor and node.
final class DemoStage: Sendable {
    private let folder: String
    private let seed: UInt64
    let loop: EventLoop
    private let processes = Mutex<(sensor: ChildProcess?, node: ChildProcess?)>((nil, nil))

    init(folder: String, seed: UInt64, loop: EventLoop) {
        (self.folder, self.seed, self.loop) = (folder, seed, loop)
    }

    private var configuration: String {
        """
        {"name": "demo", "detect": false, "mode": "live", "socket": "\(folder)/socket",
         "devices": [
           {"name": "dust", "type": "sds011", "port": "\(folder)/sensor"},
           {"name": "door", "type": "pir", "line": "\(Visitors.line)",
            "settleSeconds": 2, "blockSeconds": 1}],
         "lights": {"follows": "dust"}}
        """
    }

    /// Starts both, and connects to the node.
    ///
    /// - Returns: The sensor's terminal, and how to reach the node.
    func set() async throws -> (port: String, socket: String) {
        let log = "\(folder)/log"
        let sensor = try ChildProcess(
            [
                "simulator", "sds011", "--link", "\(folder)/sensor", "--seed", "\(seed)",
                "--air", "waves", "--json", "--until-eof",
            ],
            errorPath: log,
            on: loop
        )
        processes.withLock { $0.sensor = sensor }
        let limit = loop.clock.now.advanced(by: .seconds(10))
        struct Ready: Decodable { let path: String }
        let line = try await sensor.firstLine(until: limit)
        guard let ready = try? ControlCodec.message(Ready.self, from: line) else {
            throw failure("the simulator does not start")
        }
        try TextOutput.write(configuration, to: "\(folder)/roost.json")
        let node = try ChildProcess(
            ["demo-node", "--config", "\(folder)/roost.json", "--seed", "\(seed)"],
            errorPath: log,
            on: loop
        )
        processes.withLock { $0.node = node }
        let socket = "\(folder)/socket"
        let watcher = PathWatcher(on: loop)
        try await loop.clock.run(until: limit) { try await watcher.waitForPath(socket) }
        guard access(socket, F_OK) == 0 else { throw failure("the node does not start") }
        return (ready.path, socket)
    }

    /// Ends the node, then the sensor.
    ///
    /// - Returns: Whether both ended in order.
    func clear() async throws -> Bool {
        let (sensor, node) = processes.withLock { $0 }
        let limit = loop.clock.now.advanced(by: .seconds(12))
        let nodeStatus = try await node?.stop(until: limit)
        let sensorStatus = try await sensor?.stop(until: limit)
        return nodeStatus == .some(0) && sensorStatus == .some(0)
    }

    func failure(_ what: String) -> ClientFailure {
        let log = TextOutput.read("\(folder)/log").map { "\n\($0)" } ?? ""
        return ClientFailure(message: "\(what)\(log)", exitCode: 1)
    }
}
