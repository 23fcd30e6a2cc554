import Core
import HardwareIO
import Profiles

/// Decides what happens with each plugged adapter, and remembers the devices.
///
/// Pure: events from the hotplug ledger, the probes and people go in, actions come out. A match is
/// a claim and a probe is proof; a device is known by its own id, else by the adapter's serial
/// number, else by the socket, and never by `ttyUSBn`.
struct DetectionMachine: Sendable {
    /// The actions to carry out, in this order.
    enum Action: Hashable, Sendable {
        case probe(Probe)
        /// Its result does not matter any more.
        case cancelProbe(port: Int)
        case start(Adoption)
        /// The device ends in order; its name may be started again right after.
        case end(name: String)
        /// Its name is free again.
        case drop(name: String)
        /// A device has another name, also for its earlier readings.
        case rename(from: String, to: String)
        case notify(Notice)
        /// To be remembered; nil is to be forgotten.
        case save(identity: String, DeviceRecord?)
    }

    struct Probe: Hashable, Sendable {
        let port: Int
        let node: String
        let candidates: [RankedProfile]
        /// The profile last seen here.
        let expected: String?
    }

    struct Adoption: Hashable, Sendable {
        let name: String
        let identity: String
        let profile: Profile
        let port: Int
        let node: String
        /// The part's own id, when it has one.
        let partID: String?
        let baud: Int?
    }

    struct Notice: Hashable, Sendable {
        let source: String
        let kind: EventKind
        let severity: Event.Severity
        let details: [Event.Detail]
    }

    /// Outcome of detection for one adapter.
    enum Standing: Hashable {
        /// Waits for its turn, at once or from an instant on.
        case found(until: MonotonicInstant?, why: String)
        case probing
        case adopted(identity: String)
        case ignored(identity: String)
        /// Looked at again from an instant on; nil is never.
        case unknown(why: String, retryAt: MonotonicInstant?)
        case faulty(why: String, retryAt: MonotonicInstant?)
        /// The configuration has it: never probed and not listed.
        case claimed
    }

    struct Port: Hashable {
        let id: Int
        var device: HotplugDevice
        let appearedAt: MonotonicInstant
        var standing: Standing
        var since: MonotonicInstant
        /// Wait before the next attempt on a port that cannot be used.
        var pause: Duration = .seconds(1)
        /// Wait before the next probe of a device that was not recognised.
        var unknownPause = DetectionMachine.firstUnknownPause
        /// Why it was not recognised, as reported.
        var toldUnknown: String?
        /// The profile that a person chose, with priority over any probe.
        var forced: Profile?
        /// The profile last used here, stored or not: its driver may have put the part to sleep.
        var lastProfile: String?
        /// The device last adopted here, also while the port is probed again.
        var lastIdentity: String?
        /// The name that a person chose for the device there.
        var wishedName: String?

        var node: String { device.node ?? "" }
        var key: AdapterKey { AdapterKey(device) }
        var socket: AdapterKey { AdapterKey(socketOf: device) }
        var usb: String {
            [device.properties["ID_VENDOR_ID"], device.properties["ID_MODEL_ID"]]
                .compactMap(\.self).joined(separator: ":")
        }
    }

    /// Adapters looked at; more are neither probed nor listed until one of them leaves.
    static let portLimit = 64
    /// Probes at the same time; more wait for their turn.
    static let probeLimit = 16
    /// Devices adopted at the same time; another is listed as unknown.
    static let adoptedLimit = 32
    /// Longest wait between two attempts on a port that another process holds or that is forbidden.
    static let longestPause: Duration = .minutes(5)
    /// Before the second look at an adapter behind which a missing device may be; then twice as
    /// long each time, `longestPause` at most.
    static let firstUnknownPause: Duration = .seconds(30)

    private(set) var catalog: ProfileCatalog
    var ports: [String: Port] = [:]  // By devpath.
    var registry = DeviceRegistry()
    /// Devices that found no room in the registry.
    var unremembered: [String: DeviceRecord] = [:]
    /// Devices found before the remembered ones were loaded, under provisional names.
    var provisional: [String: DeviceRecord] = [:]
    /// When a device was last seen, since the start.
    var leftAt: [String: MonotonicInstant] = [:]
    var flaps = FlapDetector()
    var claimedPorts: Set<String> = []
    var takenNames: Set<String> = []
    private var nextID = 1
    private var isReady = false
    /// Whether all that is remembered is known.
    private(set) var knowsNames = false
    private(set) var isOn: Bool

    init(_ catalog: ProfileCatalog, isOn: Bool = true) {
        (self.catalog, self.isOn) = (catalog, isOn)
    }

    // MARK: What happens

    /// The remembered devices were read from the store, or there is none, or reading needs too
    /// long.
    ///
    /// - Parameters:
    ///   - settings: The store's; nil while they cannot be read: until then devices get provisional
    ///     names, which are never reused.
    /// - Returns: The actions to carry out.
    mutating func begin(
        with settings: [String: String]?,
        at now: MonotonicInstant
    ) -> [Action] {
        isReady = true
        guard let settings else { return admit(at: now) }
        var actions = endProvisional(at: now)
        actions += registry.load(settings).map { identity in
            let why = Event.Detail("why", "its record in the store cannot be read")
            return notify(identity, .plain(.deviceNotRemembered), .warning, [why])
        }
        knowsNames = true
        return actions + nameProvisional() + admit(at: now)
    }

    /// The configuration claims ports and names.
    ///
    /// - Parameters:
    ///   - ports: Paths that are never touched here: nodes or links to them.
    ///   - isOn: Whether anything is looked for at all.
    ///   - catalog: The profiles from now on; nil leaves them.
    /// - Returns: The actions to carry out.
    mutating func configure(
        ports: Set<String>,
        names: Set<String>,
        isOn: Bool,
        catalog: ProfileCatalog? = nil,
        at now: MonotonicInstant
    ) -> [Action] {
        (claimedPorts, takenNames, self.isOn) = (ports, names, isOn)
        var actions = catalog.map { goBy($0, at: now) } ?? []
        for devpath in sortedPaths {
            guard let port = self.ports[devpath] else { continue }
            let name = name(of: port)
            if !isOn || isClaimed(port.device) || name.map(names.contains) == true {
                actions += release(devpath, at: now)
                let isClaimed = isClaimed(port.device)
                set(devpath, isClaimed ? .claimed : .found(until: nil, why: ""), at: now)
            } else if port.standing == .claimed {
                set(devpath, .found(until: nil, why: ""), at: now)
            }
        }
        return actions + admit(at: now)
    }

    /// Probes every adapter again whose candidate profiles changed, and no other.
    private mutating func goBy(_ next: ProfileCatalog, at now: MonotonicInstant) -> [Action] {
        let old = catalog
        catalog = next
        var actions: [Action] = []
        for devpath in sortedPaths {
            guard let port = ports[devpath] else { continue }
            let isOther: Bool
            switch port.standing {
            case .adopted(let identity):
                let id = record(identity)?.profile ?? ""
                isOther = old.profile(id) != next.profile(id)
            case .probing, .unknown, .faulty:
                isOther = old.candidates(for: port.device) != next.candidates(for: port.device)
            case .found, .ignored, .claimed: isOther = false
            }
            guard isOther else { continue }
            actions += release(devpath, at: now)
            ports[devpath]?.forced = port.forced.flatMap { next.profile($0.id) }
            set(devpath, .found(until: nil, why: "profiles changed"), at: now)
        }
        return actions
    }

    /// Handles the changes that the ledger reports.
    mutating func apply(
        _ changes: [HotplugDifference.Change],
        at now: MonotonicInstant
    ) -> [Action] {
        var actions: [Action] = []
        for change in changes {
            switch change {
            case .vanished(let device): actions += vanish(device, at: now)
            case .appeared(let device): actions += appear(device, at: now)
            case .changed(let device, _):
                guard var port = ports[device.devpath] else {
                    actions += appear(device, at: now)
                    continue
                }
                let isNews = port.device.node != device.node || candidates(for: port).isEmpty
                port.device = device
                // Udev had not reported its properties yet when it was examined.
                if case .unknown = port.standing, isNews {
                    port.standing = .found(until: nil, why: "")
                }
                if isClaimed(device) { port.standing = .claimed }
                ports[device.devpath] = port
            }
        }
        return actions + admit(at: now)
    }

    /// Instant of the next action without an event.
    var nextDeadline: MonotonicInstant? {
        ports.values.compactMap { port in
            switch port.standing {
            case .found(let until, _): isOn && isReady ? until : nil
            case .faulty(_, let retryAt), .unknown(_, let retryAt):
                isOn && isReady ? retryAt : nil
            default: nil
            }
        }.min()
    }

    /// Handles everything that is due.
    mutating func timePassed(at now: MonotonicInstant) -> [Action] { admit(at: now) }

    /// The task that probed has ended, and so have its probes.
    mutating func probesLost(at now: MonotonicInstant) -> [Action] {
        for devpath in sortedPaths where ports[devpath]?.standing == .probing {
            ports[devpath]?.standing = .found(until: nil, why: "")
        }
        return admit(at: now)
    }

    private mutating func appear(_ device: HotplugDevice, at now: MonotonicInstant) -> [Action] {
        guard device.isAdapter || isSensor(device) else { return [] }
        guard ports[device.devpath] != nil || hasRoom(for: device) else { return [] }
        var port = Port(
            id: nextID,
            device: device,
            appearedAt: now,
            standing: .found(until: nil, why: ""),
            since: now
        )
        nextID += 1
        var actions = [notify("hotplug", .plain(.adapterFound), .info, details(port))]
        if isClaimed(device) {
            port.standing = .claimed
        } else if let wait = flaps.holdOff(port.socket.description, at: now) {
            let why = "comes and goes"
            port.standing = .found(until: now.advanced(by: wait), why: why)
            let details = details(port, why: "\(why): left alone for \(wait.wholeSeconds)")
            actions.append(notify("hotplug", .plain(.adapterHeldOff), .warning, details))
        }
        ports[device.devpath] = port
        return actions
    }

    private mutating func vanish(_ device: HotplugDevice, at now: MonotonicInstant) -> [Action] {
        guard let port = ports[device.devpath] else { return [] }
        let actions = release(device.devpath, at: now)
        ports[device.devpath] = nil
        let stay = port.appearedAt.duration(to: now)
        flaps.left(port.socket.description, after: stay, at: now)
        return actions + [notify("hotplug", .plain(.adapterGone), .info, details(port))]
    }

    /// Ends the probe or driver on a port.
    mutating func release(_ devpath: String, at now: MonotonicInstant) -> [Action] {
        guard let port = ports[devpath] else { return [] }
        switch port.standing {
        case .probing: return [.cancelProbe(port: port.id)]
        case .adopted(let identity):
            leftAt[identity] = now
            flaps.left(identity, after: port.since.duration(to: now), at: now)
            return name(of: port).map { [.end(name: $0)] } ?? []
        default: return []
        }
    }

    /// Starts the probes that are due, as many as may run.
    mutating func admit(at now: MonotonicInstant) -> [Action] {
        guard isOn, isReady else { return [] }
        var actions: [Action] = []
        for devpath in sortedPaths {
            guard let port = ports[devpath], isDue(port, at: now) else { continue }
            let candidates = candidates(for: port)
            if let forced = port.forced {
                actions += correct(devpath, to: forced)
                actions += adopt(devpath, forced, evidence: (nil, nil), at: now)
            } else if let identity = ignoredIdentity(at: port) {
                set(devpath, .ignored(identity: identity), at: now)
            } else if port.device.sensorName != nil, let only = candidates.first?.profile {
                // The kernel's driver has recognised it: that is the proof.
                actions += adopt(devpath, only, evidence: (nil, nil), at: now)
            } else if candidates.isEmpty {
                let why =
                    port.device.sensorName.map { "no profile fits the kernel's driver \($0)" }
                    ?? "no profile fits this adapter"
                set(devpath, .unknown(why: why, retryAt: nil), at: now)
            } else if ports.values.count(where: { $0.standing == .probing }) < Self.probeLimit {
                set(devpath, .probing, at: now)
                let probe = Probe(
                    port: port.id,
                    node: port.node,
                    candidates: candidates,
                    expected: expected(at: port, among: candidates)
                )
                actions.append(.probe(probe))
            }
        }
        return actions
    }

    private func isDue(_ port: Port, at now: MonotonicInstant) -> Bool {
        switch port.standing {
        case .found(let until, _): until.map { $0 <= now } ?? true
        case .faulty(_, let retryAt), .unknown(_, let retryAt):
            retryAt.map { $0 <= now } ?? false
        default: false
        }
    }

    // MARK: State

    var sortedPaths: [String] { ports.keys.sorted() }

    mutating func set(_ devpath: String, _ standing: Standing, at now: MonotonicInstant) {
        ports[devpath]?.standing = standing
        ports[devpath]?.since = now
    }

    /// The node or any link to it.
    private func isClaimed(_ device: HotplugDevice) -> Bool {
        device.paths.contains(where: claimedPorts.contains)
    }

    /// The name under which a port's device reads now.
    func name(of port: Port) -> String? {
        guard case .adopted(let identity) = port.standing else { return nil }
        return record(identity)?.name
    }

    /// The identity of an adapter about which nothing else is known.
    func adapterIdentity(_ port: Port) -> String { "adapter:\(port.key)" }
}

extension HotplugDevice {
    /// A tty behind USB: the console and the kernel's virtual terminals are none.
    var isAdapter: Bool {
        subsystem == "tty" && node != nil && devpath.contains("/usb")
    }
}

extension DetectionMachine {
    func notify(
        _ source: String,
        _ kind: EventKind,
        _ severity: Event.Severity,
        _ details: [Event.Detail]
    ) -> Action {
        .notify(Notice(source: source, kind: kind, severity: severity, details: details))
    }

    func details(_ port: Port, why: String? = nil) -> [Event.Detail] {
        [.init("node", port.node), .init("usb", port.usb)] + (why.map { [.init("why", $0)] } ?? [])
    }
}
