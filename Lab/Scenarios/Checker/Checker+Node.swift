import Core
import Store

// P8 to P10, alerts and liveness: time, restarts, the lamp, and that all of it goes on.
extension Checker {
    // MARK: P8

    /// How far a date may be off: anchors come every hour.
    private static let wallTolerance: Duration = .seconds(3)

    func orderAndTimeHold() throws -> Int {
        if let disorder = stored?.disorder { throw Broken(words: "out of order: \(disorder)") }
        let reader = try history()
        let runs = try NodeRuns.all(in: reader)
        let clock = ClockAnchors(runs: runs, anchors: try reader.anchors())
        var count = 0
        var last: LifeRecords.Segment?
        for segment in records.segments {
            defer { last = segment }
            guard last?.boot != segment.boot else { continue }
            let bootEnd = records.segments.last { $0.boot == segment.boot }?.end ?? segment.end
            // An end that was not recorded has no date: a later boot may lie in that time.
            let kept = runs.filter { $0.boot == segment.boot }.map(\.ended.tenths).max() ?? 0
            let length = min(
                segment.bootedAt.duration(to: bootEnd),
                .milliseconds(kept * 100)
            )
            let isLiar = hasWindow(
                { $0.area == .clock && $0 != .suspend && $0 != .clockUnknown },
                from: segment.bootedAt,
                to: bootEnd
            )
            guard !isLiar, length > .minutes(20) else { continue }
            for share in 0...4 {
                let since = length * share / 4
                let tick = Tick(tenths: since.wholeNanoseconds / 100_000_000)
                guard let time = clock.time(segment.boot, tick), time.isSure else { continue }
                count += 1
                let truth = world.trueTime(at: segment.bootedAt.advanced(by: since))
                let error = abs(time.wall.nanoseconds - truth.nanoseconds)
                guard error <= Self.wallTolerance.wholeNanoseconds else {
                    throw Broken(
                        words: "\(text(segment.bootedAt.advanced(by: since))) is dated "
                            + "\(time.wall.iso8601), not \(truth.iso8601)"
                    )
                }
            }
        }
        return try count + checkSampling { $0.area == .clock && $0 != .suspend }
    }

    // MARK: P9

    /// Starts of the process within an hour, beyond those caused from outside.
    private static let ownStartsMax = 6

    func nothingHangsOrLoops() throws -> Int {
        for segment in records.segments {
            guard let cause = cause(of: segment) else { continue }
            throw Broken(words: "\(segment.ending) at \(text(segment.end)): \(cause)")
        }
        let own = records.segments.filter { isOwn($0.ending) }
        for (index, segment) in own.enumerated() {
            let within = own[index...].prefix { segment.end.duration(to: $0.end) <= .hours(1) }
            guard within.count <= Self.ownStartsMax else {
                throw Broken(
                    words: "\(within.count) restarts within an hour of \(text(segment.end))"
                )
            }
        }
        for refusal in records.refusals {
            // An opening makes a file with dozens of writes. A try that finds no good slot writes
            // 32 of them: some eight tries in the first two minutes, later ones are minutes apart.
            let minutes = Int(refusal.start.duration(to: refusal.end) / .minutes(1))
            guard refusal.count <= 340 + minutes * 20 else {
                throw Broken(
                    words: "the card was tried \(refusal.count) times in \(minutes) min "
                        + "from \(text(refusal.start))"
                )
            }
        }
        for at in records.unanswered {
            let start = at.advanced(by: .minutes(-5))
            let isTroubled = hasWindow(
                { [.card, .process, .memory].contains($0.area) },
                from: start,
                to: at
            )
            guard !isTroubled else { continue }
            throw Broken(words: "no answer from the control socket at \(text(at))")
        }
        return records.segments.count
    }

    private func isOwn(_ ending: LifeEnding) -> Bool {
        switch ending {
        case .endedItself, .gaveUp, .serviceWatchdog, .boardWatchdog, .stopTimedOut: true
        case .finished, .restarted, .rebooted, .poweredOff, .killed, .powerCut: false
        }
    }

    /// Returns why the process should not have ended; nil when it had a reason.
    private func cause(of segment: LifeRecords.Segment) -> String? {
        let hangs: Set<FaultKind> = [.childHang, .childUnkillable]
        let freezes: Set<FaultKind> = [.freeze, .longFreeze, .boardHang, .wedgeOnReboot]
        let start = segment.end.advanced(by: .minutes(-20))
        func was(_ kinds: Set<FaultKind>) -> Bool {
            hasWindow(kinds.contains, from: start, to: segment.end)
        }
        switch segment.ending {
        case .finished, .restarted, .rebooted, .poweredOff, .killed, .powerCut: return nil
        case .gaveUp: return "never for a cause outside the box"
        case .endedItself:
            return was(hangs.union([.longFreeze])) ? nil : "nothing in it hung"
        case .stopTimedOut:
            return was(hangs) ? nil : "nothing held up the stop"
        case .serviceWatchdog, .boardWatchdog:
            return was(hangs.union(freezes)) ? nil : "nothing froze it"
        }
    }

    // MARK: Alerts

    func alertsGoOn() throws -> Int {
        var events: [BootEvent] = []
        try HistoryEvents(history()).each { event in
            events.append(event)
            return true
        }
        if world.planted == .repeatedAlerts {
            events += events.filter { $0.event.kind.name == "alert raised" }
        }
        let check = AlertCheck(events: events) { found in
            let booted = records.segments.first { $0.boot == found.boot }?.bootedAt ?? .boot
            let since = MonotonicInstant.boot.duration(to: found.event.instant)
            return hadCardTrouble(before: booted.advanced(by: since))
        }
        let ages = AlertAgeCheck(
            records: records,
            hasTrouble: hadCardTrouble,
            hasWindow: { hasWindow($0, from: $1, to: $2) }
        )
        return try check.run() + ages.run()
    }

    // MARK: P10

    /// Half as long again as the period, and half a minute, and the lamp's own tolerance.
    private static let ageMax: Duration = .seconds(495)

    func oldValuesNeverLookLive() throws -> Int {
        var count = 0
        for look in records.looks {
            if look.isLampLevel {
                let age = look.followedValueAt?.duration(to: look.at)
                guard let age, age <= Self.ageMax else {
                    throw Broken(
                        words: "the lamp says \(look.lamp ?? "") at \(text(look.at)), when the "
                            + "newest value of \(look.followed ?? "no sensor") is "
                            + "\(Int(age?.inSeconds ?? -1)) s old"
                    )
                }
                count += 1
            }
            for channel in look.fresh {
                // A process does not know values of an earlier one.
                let age = channel.age ?? .days(36_500)
                guard age <= ageMax(of: channel.channel), age - channel.told <= Self.ageError else {
                    throw Broken(
                        words:
                            "\(channel.channel) is shown as \(Int(channel.told.inSeconds)) s old "
                            + "at \(text(look.at)) and is \(Int(age.inSeconds)) s old"
                    )
                }
                count += 1
            }
        }
        return count
    }

    /// An HTTP device may miss two answers, as the station's documentation has it: what a
    /// wireless network drops now and then says nothing of the air.
    private func ageMax(of channel: String) -> Duration {
        let device = channel.prefix { $0 != "/" }
        let found = world.scenario.httpDevices.first { $0.name == device }
        return found.map { $0.interval * 3 + .seconds(12) } ?? Self.ageMax
    }

    /// A sample carries the instant of its measurement and is published when it is complete.
    private static let ageError: Duration = .seconds(31)

    // MARK: Liveness

    /// Time after the last fault within which sampling goes on: a try, be it a sample, a remedy
    /// or a probe, waits 5 min at most and takes a minute.
    static let resumption: Duration = .minutes(6)

    mutating func everySensorSamplesAgain() throws -> Int {
        let end = records.segments.last?.end ?? world.end
        let last = records.windows.map(\.end).max() ?? .boot
        let start = max(last, records.segments.last?.start ?? .boot)
        guard start.duration(to: end) >= Self.resumption else {
            throw Broken(words: "the quiet time is too short: faults until \(text(last))")
        }
        var count = 0
        let httpDevices = world.scenario.httpDevices.map(\.name)
        for part in world.parts.map(\.name) + httpDevices {
            count += 1
            let isHTTP = httpDevices.contains(part)
            guard let name = isHTTP ? part : records.device(of: part, at: end),
                let device = records.devices.firstIndex(of: name)
            else { throw Broken(words: "\(part) was never found") }
            let by = start.advanced(by: Self.resumption)
            let resumed = records.samples.last {
                $0.device == Int32(device) && $0.hasValue && $0.at > start
            }
            let first = records.samples.first {
                $0.device == Int32(device) && $0.hasValue && $0.at > start
            }
            if let first {
                resumedAfter = max(resumedAfter, start.duration(to: first.at))
            }
            guard let first, first.at <= by, let resumed,
                resumed.at.duration(to: end) <= .minutes(6)
            else {
                let when = first.map { "first at \(text($0.at))" } ?? "never"
                throw Broken(words: "\(name) sampled \(when) after the last fault, \(text(last))")
            }
        }
        return try count + everySensorSamplesBetweenFaults()
    }
}
