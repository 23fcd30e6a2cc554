import ArgumentParser
import ClientSupport
import Core
import Devices
import HardwareIO
import LinuxIO
import LinuxPlatform
import Profiles
import StoreQueries

/// A fault of any part by name, from a time to a time: `silence`, `garbage@10s`, `babble@1m-5m`.
struct PartFaultArgument: ExpressibleByArgument {
    let fault: SensorFault
    let start: Duration
    let end: Duration?

    init?(argument: String) {
        let parts = argument.split(separator: "@", maxSplits: 1).map(String.init)
        guard let fault = parts.first.flatMap(SensorFault.init(rawValue:)) else { return nil }
        self.fault = fault
        guard parts.count == 2 else {
            (start, end) = (.zero, nil)
            return
        }
        let times = parts[1].split(separator: "-", maxSplits: 1).map {
            DurationArgument(argument: String($0))?.duration
        }
        guard let first = times.first, let first else { return nil }
        start = first
        guard times.count == 2 else {
            end = nil
            return
        }
        guard let last = times[1], last > first else { return nil }
        end = last
    }

    static var allValueStrings: [String] { SensorFault.allCases.map(\.rawValue) }

    func window(from now: MonotonicInstant) -> SensorFaultWindow {
        SensorFaultWindow(
            fault,
            from: now.advanced(by: start),
            to: end.map { now.advanced(by: $0) }
        )
    }
}

struct PartSimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "part",
        abstract: "Any sensor of the catalog that any program can open, well or with faults.",
        discussion: """
            Prints `ready PATH`, then speaks as the part does until interrupted. --track has a \
            receiver replay the fixes of a bGeigie's log, one a second, again and again.

            Examples: roost simulator part plantower --link /tmp/sensor
                      roost simulator part plantower --fault silence@30s-60s --fault garbage

            Parts:  \(DeviceCatalog.kinds.map(\.driver).joined(separator: ", ")).
            Faults: \(SensorFault.allCases.map(\.rawValue).joined(separator: ", ")).
            """
    )

    @Argument(help: "A profile's id, or a driver's name.")
    var part: String

    @Option(help: "A folder of your own profiles, besides the shipped ones.")
    var profiles: String?

    @Option(help: "Put a symbolic link to the pseudo-terminal here.")
    var link: String?

    @Option(help: "Seed of everything that needs chance.")
    var seed: UInt64 = 1

    @Option(help: "For `nmea-receiver`: the log of a bGeigie whose places it replays.")
    var track: String?

    @Option(
        help: "For parts with a receiver: what time they say, as 2007-04-14T12:00; now by default."
    )
    var time: TimeArgument?

    @Option(help: "A fault, for ever or NAME@START or NAME@START-END; may be repeated.")
    var fault: [PartFaultArgument] = []

    @Option(help: "Append every transfer to this file: seconds, > or <, bytes in hex.")
    var trace: String?

    @Option(help: "Speak at this rate alone: at another rate a program gets noise.")
    var baud: Int?

    @Flag(help: "Print JSON instead of words.")
    var json = false

    @Flag(help: .hidden)
    var untilEOF = false

    func run() throws {
        let catalog = StationFiles.catalog(profiles)
        for line in catalog.problems.flatMap(\.lines) { Output.error(line) }
        let profiles = catalog.profiles.filter { $0.kind == .usbSerial }
        let profile = profiles.first { $0.id == part || $0.driver == part }
        guard let profile, let kind = profile.driver.flatMap(DeviceCatalog.kind) else {
            let known = profiles.map(\.id).joined(separator: ", ")
            throw ValidationError("no part is named \(part); known are \(known)")
        }
        let (isReceiver, isCounter) = (
            profile.driver == SensorKind.nmea.driver,
            profile.driver == SensorKind.bGeigieNano.driver
        )
        guard track == nil || isReceiver, time == nil || isReceiver || isCounter else {
            throw ValidationError(
                "--track is for a receiver, as nmea-receiver; --time for that and for a bGeigie"
            )
        }
        SignalMonitor.block()
        let loop = try EventLoop()
        let peer = try peer(of: kind, profile, loop.clock)
        let signals = try SignalMonitor(on: loop)
        let terminal = try PseudoTerminal(link: link, trace: trace, baud: baud, on: loop)
        defer { terminal.close() }
        ReadyLine(path: terminal.path, link: link).show(asJSON: json)
        let standardInput = untilEOF ? try StandardInput(on: loop) : nil
        let (faults, seed) = (fault, seed)
        try loop.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await signals.next() }
                if let standardInput { group.addTask { try await standardInput.waitForEnd() } }
                group.addTask {
                    let now = loop.clock.now
                    let windows = faults.map { $0.window(from: now) }
                    try await terminal.run(
                        SensorPart(peer, poweredAt: now, faults: windows, seed: seed)
                    )
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    private func peer(
        of kind: SensorKind,
        _ profile: Profile,
        _ clock: any NodeClock
    ) throws -> any SerialPeer {
        let isReceiver = profile.driver == SensorKind.nmea.driver
        let peer: any SerialPeer =
            isReceiver
            ? NMEAReceiverSimulator(track: try steps(), seed: seed)
            : try kind.simulator(profile, seed)
        guard var receiver = peer as? any DatedPeer else { return peer }
        let wall = time?.moments().first ?? clock.wallReading?.wall
        if let wall { receiver.wallAtBoot = wall }
        return receiver
    }

    /// Reads the steps of the file of `--track`; nil without one.
    private func steps() throws -> [NMEAReceiverSimulator.Step]? {
        guard let track else { return nil }
        var steps: [NMEAReceiverSimulator.Step] = []
        let bytes = try FileBytes.read(track, limit: 16 << 20)
        for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            guard let record = try? BGeigieRecord(line), record.hasFix else { continue }
            steps.append(
                NMEAReceiverSimulator.Step(
                    latitude: record.latitude.degrees.mantissa,
                    longitude: record.longitude.degrees.mantissa,
                    altitude: Int64(record.altitude.doubleValue * 100)
                )
            )
        }
        guard !steps.isEmpty else {
            throw ValidationError("\(track): no line of a bGeigie with a fix")
        }
        return steps
    }
}
