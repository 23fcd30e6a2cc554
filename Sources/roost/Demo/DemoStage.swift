import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Glibc
import LinuxIO
import Synchronization

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
