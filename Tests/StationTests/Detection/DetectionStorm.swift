import ControlProtocol
import Core
import HardwareIO
import Synchronization

@testable import Devices
@testable import Profiles
@testable import Runtime
@testable import SimulationKit
@testable import Station

/// Eight adapters, half of them without a serial number, plugged, pulled, renumbered and flapping
/// at random, and what a station made of it.
struct DetectionStorm: Sendable {
    struct Result: Sendable {
        var identityErrors: [String] = []
        var openAtEnd = 0
        var bytesToStrangers = 0
        var checks = 0
        /// From plug to first value, less the warm-up of the part, by identity.
        var latencies: [String: [Duration]] = [:]
    }

    /// Identity of an adapter and of the part behind it.
    private struct Subject: Sendable {
        let adapter: SimulatedAdapter
        /// Expected identity; nil for an unknown device; a final `@` means the path of the socket.
        let identity: String?
        let warmUp: Duration

        func identity(in socket: Int) -> String? {
            identity.map { text in
                guard text.hasSuffix("@") else { return text }
                return text.dropLast() + "port-" + SimulatedUSB.path(of: socket)
            }
        }
    }

    /// Plugs whose first value is awaited, by identity.
    private final class Watch: Sendable {
        private struct Pending {
            let at: MonotonicInstant
            let warmUp: Duration
            let node: String
        }
        private struct State {
            var pending: [String: Pending] = [:]
            var names: [String: String] = [:]
            var latencies: [String: [Duration]] = [:]
            /// Last outcome of each device.
            var lastWords: [String: Outcome] = [:]
        }
        private let state = Mutex(State())

        func plugged(_ identity: String, _ node: String, _ warmUp: Duration, _ at: MonotonicInstant)
        {
            state.withLock { $0.pending[identity] = Pending(at: at, warmUp: warmUp, node: node) }
        }
        func pulled(_ identity: String) { state.withLock { $0.pending[identity] = nil } }

        func hear(_ event: Event) {
            state.withLock { state in
                if event.kind.name == "device adopted" || event.kind.name == "device back",
                    let identity = event["identity"]
                {
                    state.names[event.source] = identity
                } else if event.kind.name.hasSuffix("held off"), let node = event["node"] {
                    // Skipped on purpose: the promise of five seconds does not hold.
                    state.pending = state.pending.filter { $0.value.node != node }
                }
            }
        }

        func hear(_ sample: [Reading]) {
            guard let first = sample.first else { return }
            state.withLock { $0.lastWords[first.channel.device] = first.outcome }
            guard sample.contains(where: { $0.outcome.value != nil }) else { return }
            state.withLock { state in
                guard let identity = state.names[first.channel.device],
                    let plug = state.pending.removeValue(forKey: identity)
                else { return }
                state.latencies[identity, default: []].append(
                    plug.at.duration(to: first.instant) - plug.warmUp
                )
            }
        }

        var latencies: [String: [Duration]] { state.withLock { $0.latencies } }
        var lastWords: [String: Outcome] { state.withLock { $0.lastWords } }
    }

    static let socketCount = 10
    /// Long enough for every probe and for a hold-off that has ended.
    static let settling: Duration = .seconds(17)

    let bench: DetectionBench
    private let subjects: [Subject]
    private let watch = Watch()

    init(_ clock: SimulatedClock) throws {
        bench = try DetectionBench(clock, #"{"name": "storm", "mode": "live"}"#)
        func part(_ id: String, _ seed: UInt64, _ serial: String?, _ identity: String) throws
            -> Subject
        {
            let adapter = try SimulatedAdapter.part(of: id, seed: seed, serial: serial, on: clock)
            return subject(adapter, id, identity)
        }
        func subject(_ adapter: SimulatedAdapter, _ id: String, _ identity: String) -> Subject {
            let warmUp = ProfileCatalog.shipped.profile(id)?.dutyCycle.warmUp ?? .zero
            return Subject(adapter: adapter, identity: "\(id):\(identity)", warmUp: warmUp)
        }
        func stranger(_ kind: Stranger, _ serial: String?) -> Subject {
            let adapter = SimulatedAdapter(kind.rawValue, serial: serial, clock: clock) {
                SensorPart(kind.peer(), poweredAt: $0)
            }
            return Subject(adapter: adapter, identity: nil, warmUp: .zero)
        }
        subjects = [
            subject(.sds011("a", id: 0xA160, serial: "S1", on: clock), "nova-sds011", "A160"),
            subject(.sds011("b", id: 0xB271, on: clock), "nova-sds011", "B271"),
            try part("plantower-pms", 3, "S3", "usb-S3"),
            try part("plantower-pms", 4, nil, "@"),
            try part("winsen-mhz19b", 5, nil, "@"),
            try part("sensirion-sps30", 6, "S6", "5D6"),
            stranger(.gps, nil),
            stranger(.arduino, "S8"),
        ]
    }

    /// Lets so many random events happen.
    func run(_ count: Int) async throws -> Result {
        var result = try await bench.run { _ in try await happen(count) }
        result.openAtEnd = subjects.reduce(0) { $0 + $1.adapter.openCount }
        result.bytesToStrangers = subjects.filter { $0.identity == nil }
            .reduce(0) { $0 + $1.adapter.heardByteCount }
        result.latencies = watch.latencies
        return result
    }

    private func happen(_ count: Int) async throws -> Result {
        bench.station.context.recorder.watch { [watch] in watch.hear($0) }
        bench.station.context.recorder.watchEvents { [watch] in watch.hear($0) }
        var generator = SplitMix64(seed: bench.clock.seed)
        var (result, names) = (Result(), [String: String]())
        for _ in 0..<count {
            switch generator.next() % 16 {
            case 0...6: plugOne(&generator)
            case 7...10: pullOne(&generator)
            case 11, 12: renumber(&generator)
            case 13: try await flap(&generator)
            default: missNews(&generator)
            }
            let pause = generator.next() % 8
            try await bench.sleep(.milliseconds(200 + Int64(generator.next() % 8_000)))
            guard pause == 0 else { continue }
            try await bench.sleep(Self.settling + .seconds(Int(generator.next() % 40)))
            check(&result, &names)
        }
        return result
    }

    // MARK: What happens

    private func plug(_ subject: Subject, into socket: Int, isTold: Bool) {
        let node = bench.usb.plug(subject.adapter, into: socket, isTold: isTold)
        guard let identity = subject.identity(in: socket) else { return }
        watch.plugged(identity, node, subject.warmUp, bench.clock.now)
    }

    private func pull(_ socket: Int, isTold: Bool) {
        let adapter = bench.usb.adapter(in: socket)
        let subject = subjects.first { $0.adapter === adapter }
        if let identity = subject?.identity(in: socket) { watch.pulled(identity) }
        bench.usb.unplug(socket, isTold: isTold)
    }

    private func plugOne(_ generator: inout SplitMix64, isTold: Bool = true) {
        let subject = subjects[Int(generator.next() % UInt64(subjects.count))]
        let socket = Int(generator.next() % UInt64(Self.socketCount))
        if let old = bench.usb.socket(of: subject.adapter) { pull(old, isTold: isTold) }
        pull(socket, isTold: isTold)
        plug(subject, into: socket, isTold: isTold)
    }

    private func pullOne(_ generator: inout SplitMix64, isTold: Bool = true) {
        pull(Int(generator.next() % UInt64(Self.socketCount)), isTold: isTold)
    }

    /// All of them lose their nodes and get others, as after a suspend; a snapshot tells.
    private func renumber(_ generator: inout SplitMix64) {
        var there = (0..<Self.socketCount).compactMap { socket in
            subjects.first { bench.usb.socket(of: $0.adapter) == socket }.map { ($0, socket) }
        }
        for (_, socket) in there { pull(socket, isTold: false) }
        there.shuffle(using: &generator)
        for (subject, socket) in there { plug(subject, into: socket, isTold: false) }
        bench.usb.sendSnapshot()
    }

    private func flap(_ generator: inout SplitMix64) async throws {
        let subject = subjects[Int(generator.next() % UInt64(subjects.count))]
        guard let socket = bench.usb.socket(of: subject.adapter) else { return }
        for _ in 0..<(1 + generator.next() % 4) {
            pull(socket, isTold: true)
            try await bench.sleep(.milliseconds(Int64(50 + generator.next() % 400)))
            plug(subject, into: socket, isTold: true)
            try await bench.sleep(.milliseconds(Int64(50 + generator.next() % 2_000)))
        }
    }

    /// Simulates an overrun: changes happen of which only the final snapshot is reported.
    private func missNews(_ generator: inout SplitMix64) {
        for _ in 0..<(1 + generator.next() % 3) {
            if generator.next() % 2 == 0 {
                plugOne(&generator, isTold: false)
            } else {
                pullOne(&generator, isTold: false)
            }
        }
        bench.usb.sendSnapshot()
    }

    // MARK: What must be true

    private func check(_ result: inout Result, _ names: inout [String: String]) {
        let found = bench.found
        result.checks += 1
        for subject in subjects {
            guard let socket = bench.usb.socket(of: subject.adapter) else { continue }
            let place = SimulatedUSB.path(of: socket).split(separator: ":")[1]
            guard let report = found.first(where: { $0.path?.contains("1-\(place)/") == true })
            else {
                result.identityErrors.append("\(subject.adapter.label) is not listed")
                continue
            }
            // Held off, or asked anew: said, and not yet decided.
            if report.state == "found" || report.state == "probing" { continue }
            guard let identity = subject.identity(in: socket) else {
                if report.state != "unknown" {
                    result.identityErrors.append("stranger \(report.identity) is \(report.state)")
                }
                continue
            }
            guard report.state == "adopted", report.identity == identity, let name = report.name
            else {
                result.identityErrors.append(
                    "\(identity) is \(report.state) as \(report.identity): \(report.why)"
                )
                continue
            }
            if let before = names.updateValue(name, forKey: identity), before != name {
                result.identityErrors.append("\(identity) was \(before) and is \(name)")
            }
        }
        // The ledger explains an absence by the last word before it.
        let adopted = Set(found.filter { $0.state == "adopted" }.compactMap(\.name))
        for (name, word) in watch.lastWords.sorted(by: { $0.key < $1.key })
        where word != .noData(.unplugged) && !adopted.contains(name) {
            result.identityErrors.append("\(name) is away; its last word is \(word)")
        }
        let used = Array(names.values)
        if Set(used).count != used.count { result.identityErrors.append("two share a name") }
    }
}
