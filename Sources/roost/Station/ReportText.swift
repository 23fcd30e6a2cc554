import ClientSupport
import ControlProtocol
import Core
import Doctor
import StoreQueries

/// Reports as lines of text.
enum ReportText {
    static func status(_ report: StatusReport, _ paint: Paint) -> [String] {
        let budget = report.budget
        var lines = [
            "\(paint.bold(report.name))  up \(durationText(seconds: report.uptimeSeconds)), "
                + "pid \(report.processID), roost \(report.version)",
            Self.mode(report.mode),
            "time    \(time(report))",
            "lamp    \(paint.lamp(report.lamp))\(because(report))",
        ]
        if report.channels.isEmpty { lines.append("values  none yet") }
        lines += report.channels.map { channel($0, paint) }
        lines.append(
            "costs   \(budget.wakeUps) wake-ups (\(budget.wakeUpsPerMinute)/min), "
                + "\(budget.cpuMilliseconds) ms CPU, \(budget.residentKiB) KiB resident "
                + "(\(budget.privateKiB) private), \(budget.readingCount) readings, "
                + "\(budget.eventCount) events"
        )
        lines += [("hour", budget.hour), ("day", budget.day)].compactMap { name, cost in
            cost.map { "\(name.column(8))\(describe($0))" }
        }
        lines += report.lasers.map { "laser   \(describe($0))" }
        if let store = report.store {
            let journal = store.isOnPartition.map {
                $0 ? "the journal on \(store.journal ?? "")" : "the journal in a file"
            }
            lines.append("store   \(store.folder)\(journal.map { ", \($0)" } ?? "")\(fares(store))")
        }
        if let camera = report.camera {
            lines.append("camera  \(sentence(of: camera))")
        }
        if let said = report.cardStart {
            lines.append("card    at the last start: \(said.joined(separator: " "))")
        }
        if let board = report.board {
            lines.append("board   \(board.model ?? "no model known"), as \(board.id)")
        }
        if let watchdog = report.watchdog {
            let cause = watchdog.causedLastBoot ? ", it caused the last boot" : ""
            let timeout = durationText(seconds: watchdog.timeoutSeconds)
            lines.append("watchdog \(watchdog.path), \(timeout)\(cause)")
        }
        if let power = report.power { lines.append("power   \(describe(power))") }
        if let trouble = report.sendingTrouble { lines.append("sending \(paint(trouble, .red))") }
        return lines + sending(report.sending ?? [], paint)
            + AlertText.summary(report.alerts, titles: report.titles ?? [:], paint)
            + report.faults.flatMap { fault($0, paint) }
    }

    static func mode(_ mode: ModeReport) -> String {
        let end = mode.endsInSeconds.map { ", ends in \(durationText(seconds: $0))" } ?? ""
        let name = mode.name.map { " \($0)" } ?? ""
        let limit = mode.isPrivate == true ? ", not for uploads" : ""
        return "mode    \(mode.mode)\(name)\(end)\(limit)"
    }

    /// What becomes of samples and notices at others.
    private static func sending(_ outlets: [SendingReport], _ paint: Paint) -> [String] {
        outlets.enumerated().map { index, outlet in
            let key = index == 0 ? "sending" : ""
            let waiting = outlet.waitingCount > 0 ? ", \(outlet.waitingCount) waiting" : ""
            let state = outlet.needsAttention ? paint(outlet.sentence, .red) : outlet.sentence
            let why = outlet.why.map { ": \($0)" } ?? ""
            return "\(key.column(8))\(outlet.id)  \(state)\(waiting)\(why)"
        }
    }

    /// Battery or UPS, and when it ends the machine.
    static func describe(_ power: PowerReport) -> String {
        let charge = power.percent.map { "\($0) %" } ?? "charge not known"
        let source =
            switch power.isOnBattery {
            case true?: "on battery"
            case false?: "on mains"
            case nil: "battery"
            }
        let end = power.powerOffPercent.map { ", shuts down at \($0) %" } ?? ""
        return "\(source), \(charge)\(power.isLow ? ", low" : "")\(end)"
    }

    /// Explains the lamp's level when it is not good.
    private static func because(_ report: StatusReport) -> String {
        guard report.lamp != nil, let cause = report.lampCause, cause.level != "good" else {
            return ""
        }
        if let reason = cause.noData { return ", \(cause.device): \(reason)" }
        let mean = cause.meanSeconds.map { " in the mean of \($0 / 60) min" } ?? ""
        return cause.because.isEmpty
            ? "" : ", by \(cause.because.joined(separator: " and "))\(mean)"
    }

    /// Describes the store by the data that the next power cut would cost; faults have own lines.
    private static func fares(_ store: StoreReport) -> String {
        let last =
            store.lastCommitAgeSeconds.map { ", written \(durationText(seconds: $0)) ago" } ?? ""
        let waiting = store.waitingSeconds.map { ", \(durationText(seconds: $0)) wait" } ?? ""
        switch store.state {
        case nil, .ok?: return last + waiting
        case .opening?: return ", being opened"
        case .missing?, .full?, .failing?, .historyFailing?: return ", not well" + last
        }
    }

    /// Returns one line: `ok`, or the ids of the faults.
    static func check(_ report: StatusReport, _ paint: Paint) -> [String] {
        let ids = report.faults.map(\.id).joined(separator: " ")
        return [ids.isEmpty ? "ok" : "fault \(ids)"]
    }

    /// Describes a fault: its sentence, since when it lasts, and the next step.
    private static func fault(_ fault: FaultReport, _ paint: Paint) -> [String] {
        let age = durationText(seconds: fault.ageSeconds)
        let since = fault.since.map { ", since \(Zone.current.text($0))" } ?? ""
        return [
            "fault   \(paint(fault.sentence, .red))",
            "        \(fault.id), for \(age)\(since)",
            "        next: \(fault.nextStep)",
        ]
    }

    /// Describes what the station used in a stretch of time.
    private static func describe(_ cost: CostReport) -> String {
        let bytes = cost.cardBytes.map { "\(($0 + 1_023) / 1_024) KiB and " } ?? ""
        return "\(cost.wakeUps) wake-ups, \(cost.cpuMilliseconds) ms CPU, "
            + "\(bytes)\(cost.cardSyncs) syncs to the card in "
            + durationText(seconds: cost.seconds)
    }

    /// The clock, and why it may be wrong.
    private static func time(_ report: StatusReport) -> String {
        guard let clock = report.clock else {
            return report.wallTime.map { Zone.current.text($0) } ?? "not known yet"
        }
        return self.clock(clock)
    }

    static func clock(_ report: ClockReport) -> String {
        let refusal = report.nearby.flatMap(Self.refusal) ?? ""
        guard let time = report.time else {
            return "not known: the clock was never set; say it with `roost clock trust --at TIME`"
                + refusal
        }
        let words = Zone.current.text(time)
        guard !report.isSure else {
            let doubt = report.uncertaintySeconds.map { seconds in
                ", within \(seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min")"
            }
            let station = report.nearby.flatMap { $0.state == .used ? $0.stations.first : nil }
            let source = station.map { "the station \($0) says so" } ?? "by a \(report.trust)"
            return "\(words), \(source)\(doubt ?? "")\(refusal)"
        }
        return "\(words)?, dated uncertainly: by a \(report.trust) alone; "
            + "if it is right, say so with `roost clock trust`" + refusal
    }

    /// Why the time of a station nearby is not used; nil when it is.
    private static func refusal(_ nearby: NearbyClockReport) -> String? {
        let names = nearby.stations.map { $0.isEmpty ? "what was known before" : $0 }
        switch nearby.state {
        case .used: return nil
        case .contradiction:
            return "; stations nearby contradict each other and are not used: "
                + names.joined(separator: ", ")
        case .past:
            return "; the station \(names.joined()) says a time that is over and is not used"
        }
    }

    /// Hours of a laser and when they are over.
    private static func describe(_ laser: LaserReport) -> String {
        let life = laser.lifeHours.map { " of \(Int($0))" } ?? ""
        let days = laser.daysLeft.map { ", \(Int($0)) days left at this pace" } ?? ""
        let end = laser.endOfLife.map { ", until \($0.prefix(10))" } ?? ""
        let device = laser.device.map { "\($0): " } ?? ""
        return "\(device)\(laser.part) on for \(laser.hours) h\(life)\(days)\(end)"
    }

    /// Returns the line of a channel: value, unit, age, doubts.
    static func channel(_ report: ChannelReport, _ paint: Paint) -> String {
        let name = report.channel.padded(to: 18)
        guard let latest = report.latest else { return "  \(name) nothing yet" }
        let age = "\(durationText(seconds: latest.ageSeconds)) ago"
        guard let value = latest.measured?.description else {
            let before =
                report.valueAgeSeconds.map { ", last value \(durationText(seconds: $0)) ago" } ?? ""
            return "  \(name) \(paint("no data: \(latest.noData ?? "")", .yellow)) \(age)\(before)"
                + omitted(report)
        }
        let flags = latest.quality.map { flag in
            guard flag == "humid", let air = report.humidity else { return flag }
            return "humid: \(Int(air.percent.rounded())) % at \(air.device)"
        }
        let doubts = flags.isEmpty ? "" : " (\(flags.joined(separator: ", ")))"
        let stale = report.isStale ? paint(" STALE", .red) : ""
        // A stream's next value comes within a second, so its report has no time for it.
        let next =
            report.progress?.nextInSeconds.map { ", next in \(durationText(seconds: $0))" } ?? ""
        let kept = report.records == false ? paint(" not kept", .yellow) : ""
        return "  \(name) \(paint.bold(value.aligned(to: 7))) \(latest.unit)  "
            + "\(age)\(next)\(doubts)\(stale)\(kept)\(omitted(report))"
    }

    /// How many values of a day do not count.
    private static func omitted(_ report: ChannelReport) -> String {
        guard let count = report.omittedCount else { return "" }
        return ", \(count) that cannot be left out in 24 h"
    }

    static func tree(_ report: TreeReport, _ paint: Paint) -> [String] {
        treeLines(report, paint, lead: "", childLead: "")
    }

    private static func treeLines(
        _ report: TreeReport,
        _ paint: Paint,
        lead: String,
        childLead: String
    ) -> [String] {
        var line = "\(lead)\(report.id)  "
        line +=
            report.state == "running" ? paint(report.state, .green) : paint(report.state, .yellow)
        if let up = report.upSeconds { line += " \(durationText(seconds: up))" }
        if report.restartCount > 0 { line += ", \(report.restartCount) restarts" }
        if let exit = report.lastExit { line += ", last: \(exit)" }
        if let next = report.nextBeatInSeconds {
            line += paint(", beats within \(durationText(seconds: next))", .grey)
        }
        let last = report.children.count - 1
        return [line]
            + report.children.enumerated().flatMap { index, child in
                treeLines(
                    child,
                    paint,
                    lead: childLead + (index == last ? "└─ " : "├─ "),
                    childLead: childLead + (index == last ? "   " : "│  ")
                )
            }
    }

    private static func sentence(of camera: EyesReport) -> String {
        if camera.isOff == true { return camera.settingsTrouble ?? "off" }
        let trouble = camera.ringTrouble ?? camera.stationTrouble ?? camera.lastTrouble
        return camera.sentence + (trouble.map { "; \($0)" } ?? "")
    }

    /// The camera as a device.
    private static func camera(_ report: EyesReport, _ paint: Paint) -> String {
        let name = paint.bold("camera")
        if report.isOff == true { return "\(name)  off" }
        let state =
            report.lastTrouble == nil ? paint("ready", .green) : paint("fault", .red)
        guard let wanted = report.wantedCamera else { return "\(name)  by a command  \(state)" }
        guard let camera = report.camera else {
            return "\(name)  \(wanted)  \(paint("absent", .red))"
        }
        return "\(name)  \(camera.name) (\(camera.device)) at \(camera.path)  \(state)"
    }

    static func devices(_ report: DevicesReport, _ paint: Paint) -> [String] {
        var lines: [String] = report.devices.isEmpty ? ["no devices are in use"] : []
        for device in report.devices {
            lines.append(line(device, paint))
            lines += facts(device.facts)
            lines += kept(device)
            lines += device.mutes.map { "  \(line($0, of: device))" }
        }
        if let camera = report.camera { lines.append(Self.camera(camera, paint)) }
        if !report.found.isEmpty { lines.append("found by itself:") }
        for found in report.found {
            lines.append("  \(line(found, paint))")
            lines.append("            \(found.why)")
        }
        return lines
    }

    private static func facts(_ details: Details) -> [String] {
        func line(_ label: String, _ value: String) -> String {
            "  \(label.padded(to: 20)) \(value)"
        }
        let lowest = "lowestIn14Days"
        let others = details.facts.filter { $0.name != lowest }
        var lines = FactText.pairs(Details(others)).map { line($0.label, $0.value) }
        if case .number(let ppm)? = details[lowest] {
            let words =
                "the lowest value of 14 days is \(Int(ppm)) ppm: let it have fresh air for 20 "
            lines.append(line("fresh air", words + "minutes, as it may read too high"))
        }
        return lines
    }

    private static func kept(_ device: DeviceReport) -> [String] {
        guard device.records == false else { return [] }
        let how = "no, values are shown only: roost devices record \(device.name) on"
        return ["  \("kept".padded(to: 20)) \(how)"]
    }

    private static func line(_ device: DeviceReport, _ paint: Paint) -> String {
        let isWell = !["absent", "unusable", "fault", "not answering"].contains(device.state)
        let title = device.title.map { "  “\($0)”" } ?? ""
        return "\(paint.bold(device.name))\(title)  \(device.type) at \(device.location)  "
            + paint(device.state, isWell ? .green : .red)
    }

    private static func line(_ found: FoundReport, _ paint: Paint) -> String {
        let isWell = !["unknown", "faulty"].contains(found.state)
        return paint(found.state.column(9), isWell ? .green : .red)
            + "\((found.node ?? "-").padded(to: 14)) \((found.usb ?? "").column(10))"
            + "\(paint.bold(found.name ?? "")) \(found.identity)"
    }

    private static func line(_ mute: MuteReport, of device: DeviceReport) -> String {
        let what = mute.target == device.name ? "all" : mute.target
        return "\("muted".padded(to: 20)) \(what) \(ends(mute))"
    }

    /// What a command changed: one device by its name, or an adapter by its node or identity.
    static func device(_ key: String) -> (DevicesReport, Paint) -> [String] {
        { report, paint in
            let devices = report.devices.filter { $0.name == key || $0.location == key }
            guard devices.isEmpty else {
                return devices.flatMap { [line($0, paint)] + kept($0) }
            }
            let found = report.found.filter { [$0.name, $0.node, $0.identity].contains(key) }
            return found.isEmpty
                ? ["\(key): it is being looked at; roost devices says what it is"]
                : found.map { line($0, paint) }
        }
    }

    /// The mutes of a device or of one of its channels.
    static func mutes(of target: String) -> (DevicesReport, Paint) -> [String] {
        { report, _ in
            let lines = report.devices.flatMap { device in
                // A mute of the device is one of its channels, too.
                device.mutes.filter { target == $0.target || target.hasPrefix("\($0.target)/") }
                    .map { line($0, of: device) }
            }
            return lines.isEmpty ? ["\(target) is not muted now"] : lines
        }
    }

    private static func ends(_ mute: MuteReport) -> String {
        if let time = mute.endTime { return "until \(Zone.current.text(time))" }
        if let seconds = mute.endsInSeconds { return "for \(durationText(seconds: seconds)) more" }
        return "until unmuted"
    }

    /// When it was, on the clocks of the zone; seconds since boot while the clock was never set.
    private static func stamp(_ time: String?, _ isSure: Bool?, _ seconds: Double) -> String {
        guard let time else { return stamp(seconds) }
        return Zone.current.text(time) + (isSure == false ? "?" : " ")
    }

    static func reading(_ report: ReadingReport) -> String {
        let value = report.measured.map { "\($0.description.aligned(to: 7)) \(report.unit)" }
        let doubts = report.quality.isEmpty ? "" : " (\(report.quality.joined(separator: ", ")))"
        return "\(stamp(report.time, report.isSure, report.instantSeconds)) "
            + "\(report.channel.padded(to: 18)) " + (value ?? "no data: \(report.noData ?? "")")
            + doubts
    }

    static func event(_ report: EventReport, _ paint: Paint) -> String {
        paint.severity(
            report.severity,
            "\(stamp(report.time, report.isSure, report.instantSeconds)) "
                + "\(report.source.padded(to: 18)) \(report.kind) "
                + FactText.line(report.details)
        )
    }

    /// Seconds since boot with three decimals.
    private static func stamp(_ seconds: Double) -> String {
        let milliseconds = Int((seconds * 1_000).rounded())
        let fraction = String(milliseconds % 1_000)
        let zeros = String(repeating: "0", count: 3 - fraction.count)
        return "\(milliseconds / 1_000).\(zeros)\(fraction)".aligned(to: 12)
    }
}
