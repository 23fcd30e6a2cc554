import ControlProtocol
import Core
import Devices
import HardwareIO
import PowerCut
import Profiles
import SQLite
import SimulationKit

// Adapters that come and go, and those who read and do not end.
extension Machine {
    /// Puts everything where it was, before the node looks; the numbers are the kernel's.
    func plugAll() {
        for part in world.parts where part.isPlugged { attach(part, isTold: false) }
        usb.sendSnapshot()
    }

    private func attach(_ part: Part, isTold: Bool) {
        let adapter = SimulatedAdapter(
            part.name,
            usb: part.usb,
            serial: part.serial,
            baud: part.baud,
            clock: simulated
        ) { _ in PartPeer(part: part) }
        adapters[part.name] = adapter
        adapter.hang(now < part.busHangsUntil)
        guard let match = part.profile.sensorMatches.first else {
            partsByNode[usb.plug(adapter, into: part.socket, isTold: isTold)] = part
            return
        }
        // A part on a bus stays at its address, in whatever order the kernel finds it.
        let node = usb.show(
            adapter,
            named: match.name,
            at: "soc/i2c-1/1-00\(70 + part.number)",
            slot: part.socket,
            isTold: isTold
        )
        partsByNode[node] = part
    }

    /// Plugs a part in, wherever it belongs or into the first free socket.
    func plug(_ part: Part, isTold: Bool = true) {
        guard !part.isPlugged else { return }
        if usb.adapter(in: part.socket) != nil {
            let all = 1...Scenario.socketMax * 2
            guard let free = all.first(where: { usb.adapter(in: $0) == nil }) else { return }
            part.socket = free
        }
        part.isPlugged = true
        part.pluggedAt = now
        part.switchOn(at: now)
        attach(part, isTold: isTold)
        world.log.line("plug \(part.name) \(part.socket)", at: now)
    }

    func unplug(_ part: Part, isTold: Bool = true) {
        guard part.isPlugged else { return }
        part.isPlugged = false
        usb.unplug(part.socket, isTold: isTold)
        part.switchOff(at: now)
        partsByNode = partsByNode.filter { $0.value !== part }
        adapters[part.name] = nil
        bytesUntilTorn[part.name] = nil
        world.log.line("unplug \(part.name)", at: now)
    }

    /// Pulls a plug, to be put back after a while.
    func tearOff(_ part: Part, for length: Duration? = nil) {
        let window = world.records.windows.last { $0.kind == .unplugMidFrame }
        let end = length.map { now.advanced(by: $0) } ?? window?.end ?? now
        bytesUntilTorn[part.name] = nil
        if length == nil { world.fire(.unplugMidFrame) }
        unplug(part)
        world.plan(at: max(end, now.advanced(by: .seconds(1)))) { $0.plug(part) }
    }

    func beginUSB(_ fault: PlannedFault, until end: MonotonicInstant) {
        let part = world.part(fault.part)
        let isHit = part?.isPlugged == true
        switch fault.kind {
        case .unplug where isHit, .exchange where isHit, .untoldPlug where isHit,
            .move where isHit, .swap where isHit, .plugStorm where isHit:
            if let part { beginPlug(fault, part, until: end) }
        case .unplugMidFrame where isHit: bytesUntilTorn[part?.name ?? ""] = 7
        case .renumber, .hubReset:
            world.fire(fault.kind)
            let all = world.parts.filter(\.isPlugged)
            for part in all { unplug(part) }
            let order = fault.kind == .renumber ? all.reversed() : all
            for (index, part) in order.enumerated() {
                world.plan(at: end.advanced(by: .milliseconds(50 * index))) { $0.plug(part) }
            }
        case .stranger, .twin: beginStranger(fault, until: end)
        default: break
        }
    }

    private func beginPlug(_ fault: PlannedFault, _ part: Part, until end: MonotonicInstant) {
        world.fire(fault.kind)
        var chance = world.dice(at: now)
        switch fault.kind {
        case .untoldPlug:
            unplug(part, isTold: false)
            world.plan(at: end) { machine in
                machine.plug(part, isTold: false)
                machine.usb.sendSnapshot()
            }
        case .move:
            unplug(part)
            part.socket = Scenario.socketMax + 1 + chance.index(Scenario.socketMax)
            world.plan(at: end) { $0.plug(part) }
        case .swap, .exchange:
            let others = world.parts.filter { $0.isPlugged && $0 !== part }
            unplug(part)
            if !others.isEmpty {
                let other = others[chance.index(others.count)]
                unplug(other)
                (part.socket, other.socket) = (other.socket, part.socket)
                world.plan(at: end) { $0.plug(other) }
            }
            world.plan(at: end.advanced(by: .milliseconds(200))) { $0.plug(part) }
        case .plugStorm:
            for index in 0..<8 {
                let at = now.advanced(by: .milliseconds(400 * index))
                world.plan(at: at) { machine in
                    if part.isPlugged { machine.unplug(part) } else { machine.plug(part) }
                }
            }
            world.plan(at: max(end, now.advanced(by: .seconds(5)))) { $0.plug(part) }
        default:
            unplug(part)
            world.plan(at: end) { $0.plug(part) }
        }
    }

    /// Something that is no sensor of ours, or an adapter with a number that is there already.
    private func beginStranger(_ fault: PlannedFault, until end: MonotonicInstant) {
        let all = (Scenario.socketMax * 2 + 1)...(Scenario.socketMax * 2 + 8)
        guard let socket = all.first(where: { usb.adapter(in: $0) == nil }) else { return }
        world.fire(fault.kind)
        world.strangerCount += 1
        let twin = fault.kind == .twin ? world.parts.first { $0.serial != nil } : nil
        let heard = Box(0)
        let since = now
        let adapter = SimulatedAdapter(
            "stranger \(world.strangerCount)",
            // A 3D printer's own USB identity, which no profile claims.
            usb: twin?.usb ?? ("2341", "0043"),
            serial: twin?.serial,
            clock: simulated
        ) { _ in Talker(since: since, heard: heard) }
        usb.plug(adapter, into: socket)
        let isStranger = twin == nil
        world.plan(at: end) { [weak self] machine in
            if isStranger { machine.world.records.strangerBytes += heard.value }
            if machine === self { machine.usb.unplug(socket) }
        }
    }

    // MARK: Readers

    /// A reader opens the database and does not close it.
    func beginReading(until end: MonotonicInstant) {
        guard let connection = try? Connection("\(world.card.folder)/history.db", mode: .readOnly)
        else { return }
        let isReading =
            (try? connection.execute("BEGIN; SELECT count(*) FROM sqlite_schema")) != nil
        guard isReading else { return }
        world.fire(.longReader)
        readers.append(connection)
        world.plan(at: end) { machine in machine.readers.removeAll() }
    }

    /// Clients that ask for everything and read nothing.
    func beginSlowReaders(until end: MonotonicInstant) {
        world.fire(.slowReaders)
        let connections = (0..<16).map { _ in base.socket.connect() }
        let request = try? ControlCodec.line(AskedQuestion(FollowLive()))
        for connection in connections { try? connection.send(request ?? "") }
        world.plan(at: end) { _ in for connection in connections { connection.close() } }
    }
}

/// Prints temperatures all day, and receives what is sent to it.
private struct Talker: SerialPeer {
    private let heard: Box<Int>
    private var next: MonotonicInstant

    init(since: MonotonicInstant, heard: Box<Int>) {
        (self.heard, next) = (heard, since.advanced(by: .seconds(1)))
    }

    var nextActivity: MonotonicInstant? { next }

    mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) -> [UInt8] {
        heard.value += bytes.count
        return advance(to: now)
    }

    mutating func advance(to now: MonotonicInstant) -> [UInt8] {
        guard next <= now else { return [] }
        next = now.advanced(by: .seconds(1))
        return Array("temp=21.5 hum=48\r\n".utf8)
    }
}
