import Core
import Store

// P4 to P7: what sensors do, and what is made of it.
extension Checker {
    /// Time between two samples of a sensor in `normal`, and how late one may be.
    private static let period: Duration = .minutes(5)
    private static let lateness: Duration = .seconds(90)

    private static let cardKinds: Set<FaultKind> = [
        .cardStall, .cardLongStall, .cardSlow, .cardFull, .cardReadOnly, .cardError,
        .failingWrites, .longReader, .diskHang,
    ]

    // MARK: P4

    func filesStayAndSamplingGoesOn() throws -> Int {
        var sizes: [String: Int] = [:]
        var count = 0
        for segment in records.segments {
            for name in ["history.db", "journal.ring"] {
                guard let size = segment.byteCounts[name], size > 0 else { continue }
                count += 1
                guard let before = sizes[name] else {
                    if segment.storeOpenAt != nil { sizes[name] = size }
                    continue
                }
                guard size == before || isRemade(segment) else {
                    throw Broken(words: "\(name) had \(before) bytes, then \(size)")
                }
                sizes[name] = size
            }
        }
        return try count + checkSampling(during: Self.cardKinds.contains)
    }

    /// Whether it may have been made anew just then.
    private func isRemade(_ segment: LifeRecords.Segment) -> Bool {
        segment.storeOpenAt == nil
            || records.events.contains {
                $0.segment == segment.number && $0.event.kind == .plain(.historySetAside)
            }
    }

    /// Demands that sensors which nothing else troubles are sampled while something lasts.
    func checkSampling(during isMeant: (FaultKind) -> Bool) throws -> Int {
        var count = 0
        for window in records.windows where isMeant(window.kind) {
            let (start, end) = (window.start, window.end)
            guard start.duration(to: end) > .minutes(15),
                let segment = records.segments.last(where: { $0.start <= start }),
                segment.end >= end,
                segment.start.duration(to: start) > .minutes(15),
                !hasWindow(Self.troublesSampling, from: start.advanced(by: .hours(-2)), to: end)
            else { continue }
            for (device, times) in valueTimes(in: segment.number) {
                guard let last = times.last(where: { $0 <= start }),
                    last.duration(to: start) < Self.period + Self.lateness
                else { continue }
                count += 1
                var before = last
                for time in times where time > last && time <= end { try check(time) }
                try check(end)
                func check(_ time: MonotonicInstant) throws {
                    guard before.duration(to: time) <= Self.period * 2 + Self.lateness else {
                        let name = records.devices[Int(device)]
                        throw Broken(
                            words: "\(name) was not sampled from \(text(before)) to "
                                + "\(text(time)), during \(window.kind.rawValue)"
                        )
                    }
                    before = time
                }
            }
        }
        return count
    }

    private static func troublesSampling(_ kind: FaultKind) -> Bool {
        switch kind.area {
        case .serial, .usb, .network, .process, .power: true
        case .gpio, .card, .clock, .courier, .camera: kind == .suspend
        case .owner: true
        case .memory: kind == .outOfMemory
        }
    }

    private func valueTimes(in segment: Int) -> [(device: Int32, times: [MonotonicInstant])] {
        var times: [Int32: [MonotonicInstant]] = [:]
        for sample in records.samples where sample.segment == segment && sample.hasValue {
            times[sample.device, default: []].append(sample.at)
        }
        return times.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    // MARK: P5

    private static let plain: Set<FaultKind> = [
        .silence, .babble, .zeros, .wedge, .wrongRate, .httpSilent, .httpRefuses, .httpGarbage,
        .httpMoved,
    ]

    func badSensorsAreNoticed() throws -> Int {
        var count = 0
        // Three intervals, the measurement itself and every remedy.
        let patience = Self.period * 3 + .minutes(3)
        for window in records.windows where Self.plain.contains(window.kind) {
            let by = window.start.advanced(by: patience)
            guard let part = window.part, by <= window.end,
                let segment = records.segments.last(where: { $0.start <= window.start }),
                segment.end > by, segment.start.advanced(by: .minutes(15)) < window.start,
                let name = window.kind.hitsHTTPDevice
                    ? part : records.device(of: part, at: window.start),
                let device = records.devices.firstIndex(of: name),
                records.hitParts.contains(LifeRecords.Hit(part: part, at: window.start)),
                !isDisturbed(part, from: window.start.advanced(by: .hours(-2)), to: by, but: window)
            else { continue }
            count += 1
            let isNoticed =
                records.samples.contains {
                    $0.device == Int32(device) && !$0.hasValue && $0.at > window.start
                        && $0.at <= by
                }
                || records.events.contains {
                    $0.event.source == name && $0.event.severity >= .notice
                        && $0.at > window.start && $0.at <= by
                }
            guard isNoticed else {
                throw Broken(
                    words: "\(window.kind.rawValue) of \(name) at \(text(window.start)) "
                        + "was not noticed"
                )
            }
        }
        return count
    }

    /// Whether anything else happened to a part, or to the node, in a time.
    private func isDisturbed(
        _ part: String,
        from start: MonotonicInstant,
        to end: MonotonicInstant,
        but own: LifeRecords.Window
    ) -> Bool {
        records.windows.contains { window in
            guard window.start <= end, window.end >= start else { return false }
            if window.start == own.start, window.kind == own.kind { return false }
            switch window.kind.area {
            case .serial, .usb:
                return window.part == nil || window.part == part
                    || window.kind == .swap || window.kind == .exchange
            case .process, .power, .memory: return true
            case .clock: return window.kind == .suspend
            case .network, .owner: return window.part == nil || window.part == part
            case .gpio, .card, .courier, .camera: return false
            }
        }
    }

    // MARK: P6

    func sensorsKeepTheirNames() throws -> Int {
        guard records.strangerBytes == 0 else {
            throw Broken(words: "\(records.strangerBytes) bytes were sent to strangers")
        }
        if let change = records.renames.first { throw Broken(words: change) }
        var numbers: [Int32: Int] = [:]
        for (part, name) in records.deviceOfPart {
            guard let part = world.part(part), part.isDust,
                let device = records.devices.firstIndex(of: name)
            else { continue }
            numbers[Int32(device)] = part.number
        }
        let liars: Set<FaultKind> = [
            .timesTen, .inconsistent, .ceiling, .zeros, .stuck, .flippedBits,
        ]
        var count = 0
        for sample in records.samples where sample.hasValue && sample.firstTenths > 0 {
            guard let number = numbers[sample.device] else { continue }
            count += 1
            guard Int(sample.firstTenths) % 10 != number else { continue }
            let start = sample.at.advanced(by: .minutes(-10))
            guard !hasWindow(liars.contains, from: start, to: sample.at) else { continue }
            let name = records.devices[Int(sample.device)]
            throw Broken(words: "a value of \(name) at \(text(sample.at)) is another sensor's")
        }
        return count
    }

    // MARK: P7

    /// The part of its time in which a laser may be on.
    private static let dutyMax = 0.1
    /// A measurement out of turn, at each start of the process or the part.
    private static let firstMeasurement: Duration = .seconds(30)

    /// The part gets no command to sleep, or no process runs that would send it.
    private static let deafening: Set<FaultKind> = [
        .deaf, .lineTakesNothing, .wrongRate, .suspend, .freeze, .longFreeze, .childHang,
        .childUnkillable,
    ]

    private func deafTime(_ part: Part) -> Duration {
        records.windows.filter {
            Self.deafening.contains($0.kind) && ($0.part == nil || $0.part == part.name)
        }.reduce(.zero) { $0 + $1.start.duration(to: $1.end) }
    }

    func lasersAreOff() throws -> Int {
        var count = 0
        for segment in records.segments where segment.ending.isOrderly {
            count += 1
            for part in segment.awakeAtEnd {
                let start = segment.end.advanced(by: .minutes(-15))
                guard !hasWindow({ _ in true }, from: start, to: segment.end, part: part) else {
                    continue
                }
                throw Broken(words: "\(part) was awake after the stop of \(text(segment.end))")
            }
        }
        for part in world.parts where part.isDust {
            count += 1
            let laser = part.laserTime(at: world.end)
            // Live mode and surveys that people asked for, and time with no process to command it.
            let others = records.continuousTime + part.laserAlone
            let powered = part.timeWithPower(at: world.end)
            // A device with a new name is started anew.
            let renames = records.windows.count { $0.kind == .rename && $0.part == part.name }
            let starts = records.segments.count + part.powerCount + renames
            let allowed =
                others + max(.zero, powered - others) * Self.dutyMax
                + Self.firstMeasurement * starts + deafTime(part)
            guard laser <= allowed else {
                let (hours, most) = (laser.inSeconds / 3_600, allowed.inSeconds / 3_600)
                throw Broken(words: "\(part.name) had its laser on for \(hours) h, not \(most)")
            }
        }
        return count
    }
}

extension Checker {
    /// Whether a sample is stored as the owner wanted it: whole, or as *not kept*.
    func holds(
        _ sample: LifeRecords.Sample,
        of device: String,
        in segment: LifeRecords.Segment,
        _ stored: StoredSamples
    ) throws -> Bool {
        func key(_ digest: UInt64) -> StoredSamples.Key {
            StoredSamples.Key(boot: segment.boot, tick: sample.tick, digest: digest)
        }
        switch records.recording.state(of: device, at: sample.at) {
        case .on: return stored.holds(device, key(sample.digest))
        case .unsure:
            return stored.holds(device, key(sample.digest))
                || stored.holds(device, key(sample.unkeptDigest))
        case .off:
            guard !sample.hasValue || !stored.has(device, key(sample.digest)) else {
                throw Broken(
                    words: "\(device) was kept at \(text(sample.at)), with its record off"
                )
            }
            if sample.hasValue, ledgerSeconds[GapCause.notKept.rawValue] == nil {
                throw Broken(words: "the ledger does not say that \(device) was not kept")
            }
            return stored.holds(device, key(sample.unkeptDigest))
        }
    }
}
