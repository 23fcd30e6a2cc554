import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import FileIO
import Glibc
import HardwareIO
import LinuxIO
import Synchronization

struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "A whole station without any hardware, live on the terminal.",
        discussion: """
            Starts a simulated SDS011 on a real pseudo-terminal and a real node that reads it; \
            motion sensor and lamp are simulated. Shows what `roost watch` shows of a station: \
            lamp, values, faults, devices, events and what the node itself costs; `q` ends it. \
            Not on a terminal it prints what happens.

            With --web the real dashboard stands before it; open the address that it prints.

            Examples: roost demo
                      roost demo --web
                      roost demo --for 30s
                      roost demo --for 10s --json

            Exit code 0 when readings, lamp changes and motion were seen; interrupted early: 0.
            """
    )

    @Option(name: .customLong("for"), help: "How long: 30s, 2m. Default: until interrupted.")
    var length: DurationArgument?

    @Option(help: "Seed of the simulated world.")
    var seed: UInt64 = 1

    @Flag(help: "Print JSON: the dashboard's address, the live stream, the status at the end.")
    var json = false

    @Flag(help: "Show the station in a browser, too: prints the dashboard's address.")
    var web = false

    func run() throws {
        SignalMonitor.block(TerminalScreen.signals)
        let loop = try EventLoop()
        let signals = try SignalMonitor(TerminalScreen.signals, on: loop)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let stage = DemoStage(folder: folder.path, seed: seed, hasWeb: web, loop: loop)
        let show = DemoShow(length: length?.duration, json: json, hasWeb: web, stage: stage)
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

    private init(at path: String) { self.path = path }

    /// Removes the folder and what is in it.
    func remove() {
        for name in (try? Files.names(in: path, hidden: true)) ?? [] {
            // A folder in it is the store's, with files alone.
            if unlink("\(path)/\(name)") != 0, errno == EISDIR {
                TemporaryFolder(at: "\(path)/\(name)").remove()
            }
        }
        rmdir(path)
    }
}
