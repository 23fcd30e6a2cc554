import Configuration
import ControlProtocol
import Core
import HardwareIO
import Profiles

/// Why a person's request is refused, as text.
struct DetectionRefusal: Error, Hashable, Sendable {
    let code: RefusalCode
    let message: String
}

// Requests of people for devices.
extension DetectionMachine {
    /// A person's request.
    enum Act: Hashable, Sendable {
        /// Probe a skipped adapter again; with a profile, use it without a probe.
        case adopt(profile: String?, name: String?)
        case ignore
        case rename(String)
        case forget
    }

    /// Carries out a person's request.
    ///
    /// - Parameters:
    ///   - target: A device's name or identity, or the node of an adapter or a link to it.
    /// - Returns: The actions to carry out.
    /// - Throws: `DetectionRefusal` with nothing changed.
    mutating func act(
        _ act: Act,
        on target: String,
        at now: MonotonicInstant
    ) throws(DetectionRefusal) -> [Action] {
        guard isOn else {
            throw DetectionRefusal(
                code: .forbidden,
                message: "detection is off; detect in the configuration switches it on"
            )
        }
        let (devpath, identity) = try find(target)
        switch act {
        case .adopt(let profile, let name):
            return try adopt(devpath, identity, profile: profile, name: name, at: now)
        case .ignore: return ignore(devpath, identity, at: now)
        case .rename(let name): return try rename(devpath, identity, to: name, at: now)
        case .forget: return forget(devpath, identity, at: now)
        }
    }

    /// The port and the identity that a request means; the port is nil when it is away.
    private func find(
        _ target: String
    ) throws(DetectionRefusal) -> (devpath: String?, identity: String) {
        for devpath in sortedPaths {
            guard let port = ports[devpath], port.standing != .claimed else { continue }
            let identity = identity(of: port)
            if (port.device.paths + [identity]).contains(target) {
                return (devpath, identity)
            }
            if name(of: port) == target { return (devpath, identity) }
        }
        let known = registry[target] != nil ? target : registry.identity(named: target)
        guard let known else {
            let shown = PlainText.shown(target, limit: 200)
            throw DetectionRefusal(
                code: .notFound,
                message: "\(shown) is no device, identity or adapter; roost devices lists them"
            )
        }
        // One that is ignored has its port, though nothing runs there under its name.
        let devpath = sortedPaths.first { path in
            ports[path].map { $0.standing != .claimed && identity(of: $0) == known } == true
        }
        return (devpath, known)
    }

    func identity(of port: Port) -> String {
        switch port.standing {
        case .adopted(let identity), .ignored(let identity): identity
        default: adapterIdentity(port)
        }
    }

    /// The device that a port has, or had when it was last known.
    private func lastDevice(of port: Port) -> String {
        port.adopted ?? port.lastIdentity ?? identity(of: port)
    }

    private mutating func adopt(
        _ devpath: String?,
        _ identity: String,
        profile id: String?,
        name: String?,
        at now: MonotonicInstant
    ) throws(DetectionRefusal) -> [Action] {
        let identity = devpath.flatMap { ports[$0] }.map(lastDevice) ?? identity
        var profile: Profile?
        if let id {
            profile = catalog.profile(id)
            let isSensor = devpath.flatMap { ports[$0] }?.device.sensorName != nil
            guard let profile, profile.kind == (isSensor ? .bus : .usbSerial) else {
                throw DetectionRefusal(
                    code: .badRequest,
                    message: "\(PlainText.shown(id)) is no profile of a sensor "
                        + (isSensor ? "on a bus; " : "on a serial line; ")
                        + "roost profiles list shows them"
                )
            }
        }
        if let name { try check(name, for: identity) }
        if devpath.flatMap({ ports[$0]?.adopted }) != nil, profile == nil {
            guard let name else { return [] }
            return try rename(devpath, identity, to: name, at: now)
        }
        // Its driver ends under the name that it has.
        var actions = devpath.map { release($0, at: now) } ?? []
        if var record = registry[identity] {
            (record.isIgnored, record.usb) = (false, nil)
            // With another profile it becomes another device, which gets this name.
            let isSame = profile == nil || profile?.id == record.profile
            if let name, let old = record.name, isSame, old != name {
                record.name = name
                actions.append(.rename(from: old, to: name))
            }
            if record.name == nil {
                registry.remove(identity)
                actions.append(.save(identity: identity, nil))
            } else {
                actions += remember(identity, record, name: record.name ?? identity)
            }
        }
        guard let devpath else { return actions }
        forgive(devpath, identity)
        ports[devpath]?.forced = profile
        ports[devpath]?.wishedName = name
        set(devpath, .found(until: nil, why: "asked for"), at: now)
        return actions + admit(at: now)
    }

    /// A request for a device that was held off ends its waiting time.
    private mutating func forgive(_ devpath: String, _ identity: String) {
        guard let port = ports[devpath] else { return }
        let guests = registry.records.filter { $0.value.port == port.key.description }.keys
        for key in [port.socket.description, identity] + guests { flaps.forgive(key) }
    }

    private mutating func ignore(
        _ devpath: String?,
        _ identity: String,
        at now: MonotonicInstant
    ) -> [Action] {
        var actions: [Action] = []
        if let devpath {
            actions += release(devpath, at: now)
            set(devpath, .ignored(identity: identity), at: now)
        }
        var record = record(identity) ?? DeviceRecord()
        record.isIgnored = true
        if let port = devpath.flatMap({ ports[$0] }) {
            (record.port, record.usb) = (port.key.description, port.usb)
        }
        return actions + remember(identity, record, name: record.name ?? identity)
    }

    private mutating func rename(
        _ devpath: String?,
        _ identity: String,
        to name: String,
        at now: MonotonicInstant
    ) throws(DetectionRefusal) -> [Action] {
        try check(name, for: identity)
        guard var record = record(identity), let old = record.name else {
            throw DetectionRefusal(
                code: .notFound,
                message: "\(identity) has no name; adopt it first"
            )
        }
        guard old != name else { return [] }
        var actions: [Action] = []
        let isRunning = devpath.flatMap { ports[$0]?.adopted } != nil
        if let devpath, isRunning { actions += release(devpath, at: now) }
        record.name = name
        actions += [.rename(from: old, to: name)] + remember(identity, record, name: name)
        // Its line is probed again: the same part under its new name.
        if let devpath, isRunning {
            set(devpath, .found(until: nil, why: "renamed"), at: now)
        }
        actions.append(notify(name, .plain(.deviceRenamed), .notice, [.init("was", old)]))
        return actions + admit(at: now)
    }

    private mutating func forget(
        _ devpath: String?,
        _ identity: String,
        at now: MonotonicInstant
    ) -> [Action] {
        var actions: [Action] = []
        if let devpath {
            actions += release(devpath, at: now)
            set(devpath, .found(until: nil, why: "forgotten"), at: now)
            ports[devpath]?.forced = nil
            ports[devpath]?.lastIdentity = nil
            // It was let rest, perhaps by a run before this one.
            let last = record(identity)?.profile ?? ports[devpath]?.lastProfile
            ports[devpath]?.lastProfile = last
        }
        if let name = record(identity)?.name { actions.append(.drop(name: name)) }
        registry.remove(identity)
        unremembered[identity] = nil
        leftAt[identity] = nil
        actions.append(.save(identity: identity, nil))
        return actions + admit(at: now)
    }

    /// A name must be usable in file names and queries, and be unique.
    func check(_ name: String, for identity: String) throws(DetectionRefusal) {
        guard PlainName.fits(name) else {
            throw DetectionRefusal(
                code: .badRequest,
                message:
                    "a name has \(PlainName.form), not \"\(PlainText.shown(name))\""
            )
        }
        let owner = registry.identity(named: name)
        let isTaken =
            takenNames.contains(name) || PlainName.reserved.contains(name)
            || (owner != nil && owner != identity)
            || unremembered.contains { $0.key != identity && $0.value.name == name }
            || provisional.contains { $0.key != identity && $0.value.name == name }
            || ports.values.contains { $0.wishedName == name && lastDevice(of: $0) != identity }
        guard !isTaken else {
            throw DetectionRefusal(code: .badRequest, message: "\(name) is in use")
        }
    }
}
