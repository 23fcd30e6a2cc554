import ControlProtocol
import Core
import HardwareIO
import PowerCut
import Profiles
import SimulationKit
import Station
import Store

// A client that queries the node from outside while it runs.
extension Machine {
    /// Time between two looks over the control socket.
    static let lookInterval: Duration = .hours(6)
    /// A question is answered within this, or the node is stuck.
    static let patience: Duration = .minutes(1)

    /// Writes down every sample and event as a client of the live stream receives it.
    func follow(_ station: Station) {
        let segment = Int32(world.records.segments.count - 1)
        station.context.recorder.watch { [unowned self] readings in
            // As they are stored: what a graph derives has a stream of its own.
            for isDerived in [false, true] {
                hear(readings.filter { $0.channel.quantity.isDerived == isDerived }, segment)
            }
        }
        station.context.recorder.watchEvents { [unowned self] in hear($0, Int(segment)) }
    }

    private func hear(_ readings: [Reading], _ segment: Int32) {
        guard !isDead, let first = readings.first else { return }
        let digest = SampleDigest.of(readings.lazy.map(\.outcome))
        let unkept = SampleDigest.of(
            readings.lazy.map { $0.outcome.value == nil ? $0.outcome : .noData(.notKept) }
        )
        let value = first.outcome.value
        if world.planted == .silentAboutSilence, value == nil { return }
        if world.planted == .deafAfterFault, !world.records.windows.isEmpty { return }
        let device = world.records.number(of: first.channel.device)
        let isMixedUp =
            world.planted == .mixedUpSensors && now.nanoseconds > world.end.nanoseconds / 2
        let voice: Int64 = isMixedUp ? 1 : 0
        world.records.samples.append(
            LifeRecords.Sample(
                device: device,
                segment: segment,
                at: now,
                tick: Tick(first.instant),
                digest: digest,
                unkeptDigest: unkept,
                hasValue: readings.contains { $0.outcome.value != nil },
                firstTenths: value.map { Int32(truncatingIfNeeded: $0.mantissa + voice) } ?? -1
            )
        )
        if readings.contains(where: { $0.outcome.value != nil }) {
            world.lastValueAt[first.channel.device] = now
        }
        world.log.reading(digest ^ UInt64(device), at: now)
    }

    private func hear(_ event: Event, _ segment: Int) {
        guard !isDead else { return }
        if event.source == "store", event.kind == .plain(.storeOpen), historyOpenAt == nil,
            !event.details.contains(where: { $0.value.hasPrefix("no history yet") })
        {
            historyOpenAt = now
        }
        if event.source == "store", event.kind == .plain(.storeOpen),
            world.records.segments[segment].storeOpenAt == nil
        {
            world.records.segments[segment].storeOpenAt = now
            isStoreOpen = true
            if world.stopwatch != nil {
                world.records.segments[segment].openingTime = openingTime
            }
        }
        if case .deviceFound(let found) = event.kind, let part = partsByNode[found.node] {
            world.records.namings.append(
                LifeRecords.Naming(part: part.name, device: event.source, at: now)
            )
        }
        if world.planted == .silentAboutSilence, event.source != "store" { return }
        let isLossOfPlace = [.plain(.historyFull), .plain(.samplesGivenUp)].contains(event.kind)
        if world.planted == .unspokenLoss, isLossOfPlace { return }
        let folder = world.card.folder
        let details = event.details.map { detail in
            "\(detail.key)=" + detail.value.replacing(folder, with: Self.virtualFolder)
        }
        let text = "\(event.severity.name) \(event.source): \(event.kind.name) "
        world.log.line(text + details.joined(separator: " "), at: now)
        world.records.events.append(
            LifeRecords.HeardEvent(segment: segment, at: now, event: event)
        )
    }

    /// Looks at the station's state and its durable blocks now and then, until cancelled.
    func lookNowAndThen() async throws {
        var pause: Duration = .minutes(25)  // Many runs are short.
        while !Task.isCancelled {
            try await simulated.sleep(for: pause, tolerance: .minutes(5))
            pause = Self.lookInterval
            try await look()
        }
    }

    func look() async throws {
        guard !isDead, !isStopping else { return }
        guard let status = try await ask(GetStatus()) else { return }
        let lamp = world.planted == .alwaysGreen ? "good" : status.lamp
        let devices = try await ask(GetDevices())
        record(lamp, status, devices)
        if let report = try await ask(GetAlerts()) {
            record(report.alerts, isSure: status.clock?.isSure ?? false)
        }
        for found in devices?.found ?? [] { record(found) }
        try await followStore()
        await lookAtCourier()
        var (page, pages): (String?, Int) = (nil, 0)
        repeat {
            guard let tail = try await ask(GetTail(from: page)) else { return }
            record(tail)
            (page, pages) = (tail.next, pages + 1)
        } while page != nil && pages < 64 && !isDead
    }

    /// Follows the store as a delivering program does: goes on where it left its cursor.
    private func followStore() async throws {
        guard let known = try await ask(KeepCursor()) else { return }
        let segment = world.records.segments.count - 1
        let isForgotten = world.planted == .forgottenCursors
        let number = isForgotten ? nil : world.follower.number(in: known)
        func record(_ number: Int?, isSaid: Bool) {
            world.records.cursors.append(
                LifeRecords.Cursor(at: now, segment: segment, number: number, isSaid: isSaid)
            )
        }
        record(number, isSaid: false)
        var place = number.flatMap { world.follower.place($0) }
        if let position = place?.position {
            guard let report = try await ask(GetTail(from: position)) else { return }
            if let fault = place?.add(report) { world.records.tailFaults.append(fault) }
            // Older rows are read from the history; this follower goes on at the end.
            if report.next == nil { place = nil }
        }
        if place == nil {
            let tail = try await ask(GetTail())
            place = tail?.end.map { WorldFollower.Place(position: $0) }
        }
        guard let place else { return }
        guard let kept = try await ask(world.follower.says(place)) else { return }
        record(world.follower.number(in: kept), isSaid: true)
    }

    private func lookAtCourier() async {
        let at = now
        guard let counts = await courier?.counts(), !isDead else { return }
        let segment = world.records.segments.count - 1
        world.records.deliveries.append(
            LifeRecords.Delivery(at: at, segment: segment, counts: counts)
        )
    }

    /// Time within which a part that spoke under a wrong id uses its own again.
    static let nameGrace: Duration = .minutes(20)

    /// Records which values are shown as live, and their true age.
    private func record(_ lamp: String?, _ status: StatusReport, _ devices: DevicesReport?) {
        let isYoung = world.planted == .youngForEver
        let fresh =
            status.channels.compactMap { channel in
                let device = String(channel.channel.prefix { $0 != "/" })
                let isOfPart = world.records.devices.contains(device) && !device.hasPrefix("door")
                guard isOfPart, isYoung || !channel.isStale, let told = channel.valueAgeSeconds
                else {
                    return nil
                }
                let age = world.lastValueAt[device].map { $0.duration(to: now) }
                let toldAge: Duration = isYoung ? .seconds(1) : .milliseconds(Int64(told * 1_000))
                return (channel: channel.channel, told: toldAge, age: age)
            } as [(channel: String, told: Duration, age: Duration?)]
        let lights = devices?.devices.first { $0.type == "traffic-light" }
        let follows = lights?.facts["follows"]?.text
        let isFollowing = lights?.facts["isFollowing"] != .truth(false)
        let followed = isFollowing ? follows : "nothing that is there"
        // Lamps whose lines went away show nothing, and follow no sensor.
        let isLevel = lamp.map(["good", "moderate", "poor"].contains) ?? false
        world.records.looks.append(
            LifeRecords.Look(
                at: now,
                lamp: lamp,
                isLampLevel: isLevel && followed != nil,
                followed: followed,
                followedValueAt: followed.flatMap { world.lastValueAt[$0] },
                fresh: fresh
            )
        )
    }

    private func record(_ alerts: [AlertsReport.Alert], isSure: Bool) {
        guard !isDead else { return }
        var alerts = alerts
        if world.planted == .neverUnknown { for n in alerts.indices { alerts[n].blind = nil } }
        world.records.alertLooks.append(
            LifeRecords.AlertLook(
                at: now,
                segment: world.records.segments.count - 1,
                isSure: isSure,
                alerts: alerts
            )
        )
    }

    /// Learns under which name a part is read, and whether it was another before.
    ///
    /// The name is not known of a part that reports another's id, or before the store was read.
    private func record(_ found: FoundReport) {
        guard found.state == "adopted", let node = found.node, let name = found.name,
            let part = partsByNode[node], let open = historyOpenAt,
            open.duration(to: now) > .minutes(5)
        else { return }
        let hasLied = world.records.windows.contains { window in
            window.kind == .wrongID && window.part == part.name
                && window.end.duration(to: now) < Self.nameGrace
        }
        guard !part.isDust || !hasLied else { return }
        let before = world.records.deviceOfPart.updateValue(name, forKey: part.name)
        guard let before, before != name, part.isDust, !world.hasLostName(before, at: now) else {
            return
        }
        world.records.renames.append("\(part.name) was \(before) and is \(name) now")
    }

    /// Notes the blocks that the station reports as durable: those that have a number.
    private func record(_ tail: TailReport) {
        let segment = world.records.segments.count - 1
        let own = "\(boot)"
        for part in tail.parts where part.sequence != nil && part.bootID == own {
            guard lastSeenBlock < (part.sequence ?? 0) else { continue }
            lastSeenBlock = part.sequence ?? 0
            for record in JournalRecordCodec.contents(part.bytes).records {
                switch record {
                case .stream(let stream): world.streams[stream.id] = stream
                case .samples(let id, let bytes):
                    guard let stream = world.streams[id],
                        var decoder = try? SegmentDecoder(
                            bytes,
                            decimals: stream.quantities.map(\.decimals)
                        )
                    else { continue }
                    while let (tick, outcomes) = try? decoder.next() {
                        world.records.acknowledged.append(
                            LifeRecords.Acknowledged(
                                segment: segment,
                                stream: id,
                                device: stream.device,
                                tick: tick,
                                digest: SampleDigest.of(outcomes)
                            )
                        )
                    }
                default: break
                }
            }
        }
    }

    /// Asks one question over the control socket; nil when it was refused.
    func ask<Asked: Question>(_ question: Asked) async throws -> Asked.Answer? {
        let connection = base.socket.connect()
        defer { connection.close() }
        try connection.send(ControlCodec.line(AskedQuestion(question)))
        askedAt = now
        defer { askedAt = nil }
        guard let line = try await connection.nextLine() else { return nil }
        let answer: ControlAnswer<Asked.Answer> = try ControlCodec.message(from: line)
        return answer.body
    }

    /// Acts that people do.
    enum Act {
        case habit(Scenario.Habit)
        case rename(Part)
        case addDevice, removeDevice
        case record(Part, isOn: Bool)
        /// Everything that waits for a server is sent, at the end of a life.
        case flush
    }

    /// Runs the acts of people, one after the other.
    func ask(_ act: Act) {
        acts.append(act)
        actSignal.raise()
    }

    func act(_ act: Act) async throws {
        switch act {
        case .habit(let habit): try await self.act(habit)
        case .rename(let part): try await rename(part)
        case .addDevice: try await addDevice()
        case .removeDevice: try await removeDevice()
        case .record(let part, let isOn): try await record(part, isOn)
        case .flush:
            try await courier?.flush()
            await lookAtCourier()
        }
    }

    private func act(_ habit: Scenario.Habit) async throws {
        let seconds = habit.length.inSeconds
        switch habit.act {
        case .look: try await look()
        case .live, .survey:
            let name = habit.act == .survey ? "walk" : nil
            let question = ChangeMode(habit.act.rawValue, name: name, seconds: seconds)
            world.records.continuousTime += habit.length + .minutes(1)
            _ = try await ask(question)
        case .reboot: stop(.rebooted)
        }
    }
}
