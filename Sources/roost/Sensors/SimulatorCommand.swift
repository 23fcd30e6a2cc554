import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Devices
import FoundationEssentials
import Glibc
import HardwareIO
import LinuxIO

struct SimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulator",
        abstract: "A simulated sensor on a real pseudo-terminal, or an HTTP device on a real port.",
        subcommands: [
            SDS011SimulatorCommand.self, PartSimulatorCommand.self, HTTPSimulatorCommand.self,
        ]
    )
}

/// A fault by name, from a time to a time: `silence`, `garbage@10s`, `stuck@1m-5m`.
struct FaultArgument: ExpressibleByArgument {
    let fault: SDS011Fault
    let start: Duration
    let end: Duration?

    init?(argument: String) {
        let parts = argument.split(separator: "@", maxSplits: 1).map(String.init)
        guard let name = parts.first, let fault = SDS011Fault(name) else { return nil }
        self.fault = fault
        guard parts.count == 2 else {
            (start, end) = (.zero, nil)
            return
        }
        let times = parts[1].split(separator: "-", maxSplits: 1).map(String.init)
        guard let first = times.first.flatMap(DurationArgument.init(argument:)) else { return nil }
        start = first.duration
        guard times.count == 2 else {
            end = nil
            return
        }
        guard let last = DurationArgument(argument: times[1]), last.duration > start else {
            return nil
        }
        end = last.duration
    }

    static var allValueStrings: [String] { SDS011Fault.allCases.map(\.name) }
}

/// The air that the simulated sensor measures.
struct AirArgument: ExpressibleByArgument {
    let air: @Sendable (UInt64, MonotonicInstant) -> SDS011Air

    init(air: @escaping @Sendable (UInt64, MonotonicInstant) -> SDS011Air) { self.air = air }

    init?(argument: String) {
        switch argument {
        case "drifting": air = { seed, _ in .drifting(seed: seed) }
        case "waves": air = { _, start in Self.waves(from: start) }
        default:
            let parts = argument.split(separator: "/").map { Double($0) }
            guard parts.count == 2, let pm25 = parts[0], let pm10 = parts[1],
                (0...999.9).contains(pm25), (0...1_999.9).contains(pm10)
            else { return nil }
            let measurement = SDS011Measurement(
                pm25Tenths: UInt16((pm25 * 10).rounded()),
                pm10Tenths: UInt16((pm10 * 10).rounded())
            )
            air = { _, _ in .constant(measurement) }
        }
    }

    var defaultValueDescription: String { "drifting" }

    /// Air that moves up and down through all three lamps in 24 s.
    private static func waves(from start: MonotonicInstant) -> SDS011Air {
        .function { now in
            let second = Int(start.duration(to: now).inSeconds) % 24
            let height = second < 12 ? second : 24 - second
            return SDS011Measurement(
                pm25Tenths: UInt16(8 + height * 5),
                pm10Tenths: UInt16(20 + height * 14)
            )
        }
    }
}

/// An id of a part, in four hexadecimal digits.
struct SDS011DeviceIDArgument: ExpressibleByArgument, CustomStringConvertible {
    let id: SDS011DeviceID

    init(id: SDS011DeviceID) { self.id = id }

    init?(argument: String) {
        guard let id = SDS011DeviceID(argument), id != .everyone else { return nil }
        self.id = id
    }

    var description: String { id.description }
}

struct SDS011SimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sds011",
        abstract: "An SDS011 that any program can open, well or with the faults of the field.",
        discussion: """
            Prints `ready PATH`, then obeys the part's protocol until interrupted.

            Examples: roost simulator sds011 --link /tmp/sensor
                      roost simulator sds011 --fault silence@30s-60s --fault garbage
                      roost simulator sds011 --replay capture.hexdump --pace 200ms

            Faults: \(SDS011Fault.allCases.map(\.name).joined(separator: ", ")).
            """
    )

    @Option(help: "Put a symbolic link to the pseudo-terminal here.")
    var link: String?

    @Option(help: "The part's own id, 0000…FFFE.")
    var id = SDS011DeviceIDArgument(id: SDS011Simulator.Memory().deviceID)

    @Option(help: "Seed of everything that needs chance.")
    var seed: UInt64 = 1

    @Option(help: "drifting, waves (through all lamps in 24 s), or fixed values as 12.3/45.6.")
    var air = AirArgument(air: { seed, _ in .drifting(seed: seed) })

    @Option(help: "A fault, for ever or NAME@START or NAME@START-END; may be repeated.")
    var fault: [FaultArgument] = []

    @Option(help: "Play a recording instead: an xxd hex dump, or JSON with frames and streams.")
    var replay: String?

    @Option(help: "Time between the pieces of a recording.")
    var pace: DurationArgument?

    @Option(help: "Append every transfer to this file: seconds, > or <, bytes in hex.")
    var trace: String?

    @Flag(help: "Print JSON instead of words.")
    var json = false

    @Flag(help: .hidden)
    var untilEOF = false

    func validate() throws {
        if replay != nil, !fault.isEmpty {
            throw ValidationError("--fault belongs to the simulator, not to a recording")
        }
    }

    func run() throws {
        SignalMonitor.block()
        let recording = try replay.map { try RecordingFile.read($0) }
        let loop = try EventLoop()
        let signals = try SignalMonitor(on: loop)
        let terminal = try PseudoTerminal(link: link, trace: trace, on: loop)
        defer { terminal.close() }
        ReadyLine(path: terminal.path, link: link).show(asJSON: json)
        let standardInput = untilEOF ? try StandardInput(on: loop) : nil
        let command = self
        try loop.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await signals.next() }
                if let standardInput { group.addTask { try await standardInput.waitForEnd() } }
                group.addTask {
                    let now = loop.clock.now
                    if let recording {
                        let pace = command.pace?.duration ?? .seconds(1)
                        let peer = SDS011Replay(recording, every: pace, poweredAt: now)
                        try await terminal.run(peer)
                    } else {
                        try await terminal.run(command.simulator(poweredAt: now))
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    private func simulator(poweredAt now: MonotonicInstant) -> SDS011Simulator {
        SDS011Simulator(
            air: air.air(seed, now),
            memory: SDS011Simulator.Memory(deviceID: id.id),
            faults: fault.map { fault in
                SDS011FaultWindow(
                    fault.fault,
                    from: now.advanced(by: fault.start),
                    to: fault.end.map { now.advanced(by: $0) }
                )
            },
            poweredAt: now
        )
    }
}

/// A recording in one of the two forms it is kept in.
enum RecordingFile {
    private struct Frames: Decodable {
        struct Piece: Decodable { let hex: String }
        let frames: [Piece]
        let streams: [Piece]?
    }

    /// Reads a file of at most 16 MiB.
    ///
    /// - Throws: `ClientFailure` that names the file and the place.
    static func read(_ path: String) throws -> SDS011Recording {
        let data = Data(try FileBytes.read(path, limit: 16 << 20))
        let text = String(decoding: data, as: UTF8.self)
        do {
            guard text.first(where: { !$0.isWhitespace }) == "{" else {
                return try SDS011Recording(hexDump: text)
            }
            let file = try JSONDecoder().decode(Frames.self, from: data)
            let pieces = try (file.frames + (file.streams ?? [])).map { piece in
                guard let bytes = SDS011Recording.bytes(hex: piece.hex) else {
                    throw ClientFailure(message: "\(path): not hex: \(piece.hex)", exitCode: 1)
                }
                return bytes
            }
            return SDS011Recording(pieces: pieces)
        } catch let failure as ClientFailure {
            throw failure
        } catch {
            throw ClientFailure(message: "\(path): \(error)", exitCode: 1)
        }
    }
}
