import Configuration
import Core
import Devices
import HardwareIO
import Profiles

// Consequences of a probe, and of the end of a device.
extension DetectionMachine {
    /// The result of a probe.
    enum ProbeEnd: Sendable {
        case verdict(ProbePlan.Verdict)
        /// The port could not be used.
        case failed(SerialError)
    }

    /// Handles the result of a probe.
    mutating func probeEnded(
        port id: Int,
        _ end: ProbeEnd,
        at now: MonotonicInstant
    ) -> [Action] {
        guard let devpath = ports.first(where: { $0.value.id == id })?.key,
            let port = ports[devpath], port.standing == .probing
        else { return [] }
        var actions: [Action]
        switch end {
        case .verdict(.proved(let proof)):
            actions = adopt(
                devpath,
                proof.profile,
                evidence: (proof.evidence.id, proof.baud),
                rivals: proof.rivals,
                at: now
            )
        case .verdict(.unknown(let why)):
            actions = leave(devpath, why, at: now)
        case .failed(let error): actions = fail(devpath, error, at: now)
        }
        actions += admit(at: now)
        return actions
    }

    /// Gives up on an unknown adapter, but only for a while if it may be a missing device.
    ///
    /// A sensor that is silent during a probe may send again later, without being replugged.
    private mutating func leave(
        _ devpath: String,
        _ why: String,
        at now: MonotonicInstant
    ) -> [Action] {
        guard let port = ports[devpath] else { return [] }
        let retryAt = mayBeMissed(port) ? now.advanced(by: port.unknownPause) : nil
        set(devpath, .unknown(why: why, retryAt: retryAt), at: now)
        ports[devpath]?.unknownPause = min(port.unknownPause * 2, Self.longestPause)
        ports[devpath]?.toldUnknown = why
        guard port.toldUnknown != why else { return [] }
        return [notify("hotplug", .plain(.adapterUnknown), .notice, details(port, why: why))]
    }

    /// Whether a device of a profile that fits here is known and nowhere else.
    private func mayBeMissed(_ port: Port) -> Bool {
        let fitting = Set(candidates(for: port).map(\.profile.id))
        let here = Set(ports.values.compactMap(\.adopted))
        return [registry.records, unremembered].joined().contains { identity, record in
            record.name != nil && !record.isIgnored && !here.contains(identity)
                && record.profile.map(fitting.contains) == true
        }
    }

    private mutating func fail(
        _ devpath: String,
        _ error: SerialError,
        at now: MonotonicInstant
    ) -> [Action] {
        guard let port = ports[devpath] else { return [] }
        let why = "\(error)"
        set(devpath, .faulty(why: why, retryAt: now.advanced(by: port.pause)), at: now)
        ports[devpath]?.pause = min(port.pause * 2, Self.longestPause)
        // Udev sets the group of a new node a moment after it appears: the second try is decisive.
        guard port.pause == .seconds(2) else { return [] }
        return [notify("hotplug", .plain(.adapterUnusable), .warning, details(port, why: why))]
    }

    /// Makes a proven part a device of the station.
    mutating func adopt(
        _ devpath: String,
        _ profile: Profile,
        evidence: (id: String?, baud: Int?),
        rivals: [String] = [],
        at now: MonotonicInstant
    ) -> [Action] {
        guard let port = ports[devpath] else { return [] }
        let inUse = Set(ports.values.compactMap(\.adopted))
        guard inUse.count < Self.adoptedLimit else {
            let why = "\(Self.adoptedLimit) devices are adopted"
            set(devpath, .unknown(why: why, retryAt: nil), at: now)
            return []
        }
        var actions: [Action] = []
        var identity = "\(profile.id):" + (evidence.id ?? port.key.description)
        var partID = evidence.id
        if inUse.contains(identity) {
            // Two with one number: the second is known by its socket.
            let details = details(port, why: "another device is \(identity): known by its socket")
            actions.append(notify("hotplug", .plain(.identityShared), .warning, details))
            (identity, partID) = ("\(profile.id):\(port.socket)", nil)
        }
        guard !inUse.contains(identity) else {
            let why = "\(identity) is in use by another device"
            set(devpath, .faulty(why: why, retryAt: nil), at: now)
            return []
        }
        if let wait = flaps.holdOff(identity, at: now) {
            let why = "\(identity) comes and goes"
            set(devpath, .found(until: now.advanced(by: wait), why: why), at: now)
            let details = details(port, why: "\(why): left alone for \(wait.wholeSeconds)")
            return actions + [notify("hotplug", .plain(.deviceHeldOff), .warning, details)]
        }
        let known = record(identity)
        if var record = known, record.isIgnored {
            set(devpath, .ignored(identity: identity), at: now)
            // There it is not asked again.
            (record.port, record.usb) = (port.key.description, port.usb)
            guard record != known else { return actions }
            return actions + remember(identity, record, name: record.name ?? identity)
        }
        let (name, remembering) = name(identity, profile, on: devpath)
        actions += remembering
        let adoption = Adoption(
            name: name,
            identity: identity,
            profile: profile,
            port: port.id,
            node: port.node,
            partID: partID,
            baud: evidence.baud
        )
        return actions + start(adoption, on: devpath, isNew: known?.name == nil, rivals, at: now)
    }

    /// Removes an adapter from devices of the same driver, when a person assigns it to another.
    mutating func correct(_ devpath: String, to profile: Profile) -> [Action] {
        guard let key = ports[devpath]?.key.description else { return [] }
        var actions: [Action] = []
        for (identity, record) in registry.records.sorted(by: { $0.key < $1.key }) {
            guard record.port == key, record.profile != profile.id,
                record.profile.flatMap(catalog.profile)?.driver == profile.driver
            else { continue }
            var moved = record
            moved.port = nil
            actions += remember(identity, moved, name: record.name ?? identity)
        }
        return actions
    }

    /// Gives a device its name, and stores where it is, once the remembered devices are loaded.
    private mutating func name(
        _ identity: String,
        _ profile: Profile,
        on devpath: String
    ) -> (name: String, [Action]) {
        let known = record(identity)
        var record = known ?? DeviceRecord()
        let isWished = ports[devpath]?.wishedName != nil
        var actions = grantWish(at: devpath, to: identity, &record)
        let name = name(for: record, identity, profile)
        if isWished, let old = known?.name, old != name {
            actions.append(.rename(from: old, to: name))
        }
        (record.name, record.profile) = (name, profile.id)
        record.port = ports[devpath]?.key.description
        guard knowsNames || registry[identity] != nil || isWished else {
            provisional[identity] = record
            return (name, actions)
        }
        return (name, actions + (record == known ? [] : remember(identity, record, name: name)))
    }

    /// Gives the requested name, unless another device has it by now.
    private mutating func grantWish(
        at devpath: String,
        to identity: String,
        _ record: inout DeviceRecord
    ) -> [Action] {
        guard let port = ports[devpath], let wish = port.wishedName else { return [] }
        ports[devpath]?.wishedName = nil
        do throws(DetectionRefusal) { try check(wish, for: identity) } catch {
            let details = details(port, why: error.message)
            return [notify("hotplug", .plain(.nameNotGiven), .warning, details)]
        }
        record.name = wish
        return []
    }

    private mutating func start(
        _ adoption: Adoption,
        on devpath: String,
        isNew: Bool,
        _ rivals: [String],
        at now: MonotonicInstant
    ) -> [Action] {
        set(devpath, .adopted(identity: adoption.identity), at: now)
        ports[devpath]?.lastProfile = adoption.profile.id
        ports[devpath]?.lastIdentity = adoption.identity
        ports[devpath]?.pause = .seconds(1)
        ports[devpath]?.unknownPause = Self.firstUnknownPause
        ports[devpath]?.toldUnknown = nil
        var details: [Event.Detail] = []
        if !rivals.isEmpty { details.append(.init("also fits", rivals.joined(separator: ", "))) }
        if let left = leftAt.removeValue(forKey: adoption.identity) {
            details.append(.init("away", "\(Int(left.duration(to: now).inSeconds.rounded())) s"))
        }
        let found = EventKind.DeviceFound(
            isNew: isNew,
            identity: adoption.identity,
            profile: adoption.profile.id,
            node: adoption.node
        )
        return [.start(adoption), notify(adoption.name, .deviceFound(found), .notice, details)]
    }

    /// A device's child ended by itself: its port went away before the hotplug event, or was not
    /// its own.
    mutating func deviceEnded(port id: Int, at now: MonotonicInstant) -> [Action] {
        guard let devpath = ports.first(where: { $0.value.id == id })?.key,
            let port = ports[devpath], port.adopted != nil
        else { return [] }
        let actions = release(devpath, at: now)
        // The news of its going may be a moment behind.
        let wait = max(flaps.holdOff(port.adopted ?? "", at: now) ?? .zero, .seconds(1))
        set(devpath, .found(until: now.advanced(by: wait), why: "the line broke"), at: now)
        return actions
    }

    func record(_ identity: String) -> DeviceRecord? {
        registry[identity] ?? unremembered[identity] ?? provisional[identity]
    }

    /// Ends every device with a provisional name, before the remembered ones are loaded.
    ///
    /// Their lines are probed again: the same parts under the names they had, or new ones.
    mutating func endProvisional(at now: MonotonicInstant) -> [Action] {
        var actions: [Action] = []
        for devpath in sortedPaths {
            guard let port = ports[devpath] else { continue }
            if let identity = port.adopted, provisional[identity] != nil {
                actions += release(devpath, at: now)
                set(devpath, .found(until: nil, why: "its name is known now"), at: now)
            } else if case .unknown = port.standing {
                // It may be a missing device.
                set(devpath, .found(until: nil, why: ""), at: now)
            }
        }
        return actions
    }

    /// Gives every device with a provisional name its remembered name, or a new one.
    mutating func nameProvisional() -> [Action] {
        var actions: [Action] = []
        let all = provisional.sorted { $0.key < $1.key }
        provisional.removeAll()
        for (identity, old) in all {
            guard let was = old.name, let profile = old.profile.flatMap(catalog.profile) else {
                continue
            }
            let known = registry[identity]
            var record = known ?? old
            if known == nil { record.name = nil }
            let name = name(for: record, identity, profile)
            record.name = name
            actions.append(.rename(from: was, to: name))
            if record != known { actions += remember(identity, record, name: name) }
        }
        return actions
    }

    /// Returns the device's old name, unless the configuration uses that meanwhile.
    private func name(
        for record: DeviceRecord,
        _ identity: String,
        _ profile: Profile
    ) -> String {
        if let name = record.name, !takenNames.contains(name) { return name }
        let records = Array(unremembered.values) + Array(provisional.values)
        let others = records.compactMap(\.name) + ports.values.compactMap(\.wishedName)
        let taken = takenNames.union(PlainName.reserved).union(others)
        // A name that another has had would mix up two histories.
        let suffix = knowsNames ? nil : identity.split(separator: ":", maxSplits: 1).last
        return registry.freeName(for: profile, suffix: suffix.map(String.init), besides: taken)
    }

    /// Puts a record into the registry and into the store.
    mutating func remember(_ identity: String, _ record: DeviceRecord, name: String) -> [Action] {
        provisional[identity] = nil
        if registry.put(identity, record) {
            unremembered[identity] = nil
            return [.save(identity: identity, record)]
        }
        unremembered[identity] = record
        let why = "\(DeviceRegistry.limit) devices are remembered; forget one"
        return [notify(name, .plain(.deviceNotRemembered), .warning, [.init("why", why)])]
    }
}

extension DetectionMachine.Port {
    var adopted: String? {
        if case .adopted(let identity) = standing { identity } else { nil }
    }
}
