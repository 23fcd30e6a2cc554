import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import FileIO
import Glibc
import LinuxIO
import Synchronization

/// The processes behind the demo: sensor, node and, if it is wanted, the dashboard and what it
/// shows besides: the air's humidity, by which the node takes the water out of the dust.
final class DemoStage: Sendable {
    private let folder: String
    private let seed: UInt64
    let loop: EventLoop
    private struct Processes {
        var sensor: ChildProcess?
        var air: ChildProcess?
        var node: ChildProcess?
        var web: ChildProcess?
    }

    private let hasWeb: Bool
    private let processes = Mutex(Processes())

    init(folder: String, seed: UInt64, hasWeb: Bool, loop: EventLoop) {
        (self.folder, self.seed, self.hasWeb, self.loop) = (folder, seed, hasWeb, loop)
    }

    private var configuration: String {
        """
        {"name": "demo", "detect": false, "mode": "live", "socket": "\(folder)/socket",
         "devices": [
           \(sensors),
           {"name": "door", "type": "pir", "line": "\(Visitors.line)",
            "settleSeconds": 2, "blockSeconds": 1}],
         "lights": {"follows": "dust"}\(store)}
        """
    }

    private var sensors: String {
        let type = hasWeb ? "nova-sds011-humidity" : "sds011"
        let dust = #"{"name": "dust", "type": "\#(type)", "port": "\#(folder)/sensor"}"#
        let air = #"{"name": "air", "type": "generic-line", "port": "\#(folder)/air"}"#
        return hasWeb ? "\(dust), \(air)" : dust
    }

    /// Only the dashboard shows more than the last hours.
    private var store: String {
        hasWeb ? ", \"store\": {\"folder\": \"\(folder)/store\", \"megabytes\": 8}" : ""
    }

    /// Starts all of them but the dashboard, and connects to the node.
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
        if hasWeb {
            let air = try ChildProcess(
                [
                    "simulator", "part", "generic-line", "--link", "\(folder)/air", "--seed",
                    "\(seed)", "--until-eof",
                ],
                errorPath: log,
                on: loop
            )
            processes.withLock { $0.air = air }
            guard try await air.firstLine(until: limit).hasPrefix("ready") else {
                throw failure("the simulator of the air does not start")
            }
        }
        try FileBytes.put(Array(configuration.utf8), "\(folder)/roost.json")
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

    /// Starts the dashboard before the demo's station.
    ///
    /// - Returns: Its address.
    func openWeb() async throws -> String {
        let program = try SisterProgram.path("roost-web")
        // The usual port, so that the address is the same each time; another one if it is taken.
        for port in [8_088, 0] {
            let web = try ChildProcess(
                program: program,
                [
                    "--socket", "\(folder)/socket", "--listen", "127.0.0.1:\(port)", "--open",
                    "--simulated", "--name", "demo", "--until-eof",
                ],
                errorPath: "\(folder)/log",
                on: loop
            )
            processes.withLock { $0.web = web }
            let limit = loop.clock.now.advanced(by: .seconds(10))
            let line = try await web.firstLine(until: limit)
            if let port = line.split(separator: " ").last.flatMap({ UInt16($0) }) {
                return "http://127.0.0.1:\(port)/"
            }
            _ = try await web.stop(until: limit)
            processes.withLock { $0.web = nil }
        }
        throw failure("the dashboard does not start")
    }

    /// Ends the dashboard, the node, then the sensors.
    ///
    /// - Returns: Whether all ended in order.
    func clear() async throws -> Bool {
        let running = processes.withLock { $0 }
        let limit = loop.clock.now.advanced(by: .seconds(12))
        let webStatus = try await running.web?.stop(until: limit) ?? 0
        let nodeStatus = try await running.node?.stop(until: limit)
        let airStatus = try await running.air?.stop(until: limit) ?? 0
        let sensorStatus = try await running.sensor?.stop(until: limit)
        return webStatus == 0 && nodeStatus == .some(0) && airStatus == 0
            && sensorStatus == .some(0)
    }

    func failure(_ what: String) -> ClientFailure {
        let log = Files.text("\(folder)/log", limit: 65_536) ?? ""
        return ClientFailure(message: log.isEmpty ? what : "\(what)\n\(log)", exitCode: 1)
    }
}
