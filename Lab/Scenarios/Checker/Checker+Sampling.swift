import Core

// Liveness between the faults: each device without a fault is sampled, for the whole simulated
// life.
extension Checker {
    /// The period of the slowest sensor, its measurement, and how late a wake-up may be.
    private static let pauseMax: Duration = .seconds(345)

    /// Demands values of each part wherever nothing that is known could keep them away.
    ///
    /// - Returns: How many stretches between troubles were looked at.
    func everySensorSamplesBetweenFaults() throws -> Int {
        var count = 0
        var pauses: [(start: MonotonicInstant, words: String)] = []
        let httpDevices = world.scenario.httpDevices.map(\.name)
        for part in world.parts.map(\.name) + httpDevices {
            let times = valueTimes(of: part)
            for calm in calmTimes(of: part, isHTTP: httpDevices.contains(part)) {
                count += 1
                var before = calm.lowerBound
                for time in times[calm] + [calm.upperBound] {
                    if before.duration(to: time) > Self.pauseMax {
                        let name = records.device(of: part, at: time) ?? part
                        let length = Int(before.duration(to: time).inSeconds)
                        pauses.append(
                            (before, "\(name) gave no value for \(length) s from \(text(before))")
                        )
                    }
                    before = time
                }
            }
        }
        guard let first = pauses.min(by: { $0.start < $1.start }) else { return count }
        throw Broken(words: "\(first.words), and \(pauses.count - 1) other pauses without a cause")
    }

    /// When a device gave values, under the name that it had then.
    private func valueTimes(of part: String) -> SortedInstants {
        SortedInstants(values(of: part).map(\.at))
    }

    private func values(of part: String) -> [LifeRecords.Sample] {
        let own = world.part(part) == nil ? part : nil
        return records.samples.filter { sample in
            guard sample.hasValue else { return false }
            let name = own ?? records.device(of: part, at: sample.at)
            return name == records.devices[Int(sample.device)]
        }
    }

    /// The times in which nothing hinders a part, each begun long enough ago to sample again.
    private func calmTimes(of part: String, isHTTP: Bool) -> [Range<MonotonicInstant>] {
        var troubles: [Range<MonotonicInstant>] = []
        var stuckEnds: Set<MonotonicInstant> = []
        var before = MonotonicInstant.boot
        for segment in records.segments {
            troubles.append(before..<segment.start)
            before = segment.end
        }
        for window in records.windows where hinders(window, part, isHTTP: isHTTP) {
            troubles.append(window.start..<window.end)
            if window.kind == .stuck { stuckEnds.insert(window.end) }
        }
        troubles.append(before..<max(before, world.end))
        var calm: [Range<MonotonicInstant>] = []
        var free = MonotonicInstant.boot
        for trouble in troubles.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if free < trouble.lowerBound { calm.append(free..<trouble.lowerBound) }
            // A stuck sensor needs no remedy once it moves: its next sample is one to believe.
            let pause = stuckEnds.contains(trouble.upperBound) ? .zero : Self.resumption
            free = max(free, trouble.upperBound.advanced(by: pause))
        }
        return calm
    }

    private func hinders(
        _ window: LifeRecords.Window,
        _ part: String,
        isHTTP: Bool
    ) -> Bool {
        switch window.kind.area {
        case .serial, .usb:
            !isHTTP
                && (window.part == nil || window.part == part || window.kind == .swap
                    || window.kind == .exchange)
        case .network: isHTTP && (window.part == nil || window.part == part)
        case .process, .power: true
        case .memory: window.kind == .outOfMemory
        case .owner: window.part == nil || window.part == part
        case .clock: window.kind == .suspend
        case .gpio, .card, .courier, .camera: false
        }
    }
}

// MARK: Cold parts

extension Checker {
    /// Demands that no value counts that a part gave before it had power for its preheat.
    ///
    /// By the time, and by the values that the simulated part gives only then. A dip of its supply
    /// is excused: the station cannot know of it.
    func coldPartsHaveNoValues() throws -> Int {
        var count = 0
        for part in world.parts {
            let values = values(of: part.name)
            let times = SortedInstants(values.map(\.at))
            for cold in part.coldTimes where !isMisnamed(around: cold) {
                count += 1
                guard let early = times[cold].first else { continue }
                let age = Int(cold.lowerBound.duration(to: early).inSeconds)
                throw Broken(
                    words:
                        "\(part.name) has a value at \(text(early)), \(age) s after it got power"
                )
            }
            if let cold = values.first(where: { isCold($0, of: part) }) {
                throw Broken(
                    words: "the value of \(part.name) at \(text(cold.at)) is of a cold part"
                )
            }
        }
        return count
    }

    private func isCold(_ sample: LifeRecords.Sample, of part: Part) -> Bool {
        guard part.coldValues.contains(Int(sample.firstTenths)) else { return false }
        let start = sample.at.advanced(by: .zero - part.preheat * 2)
        return !hasWindow({ $0 == .brownout }, from: start, to: sample.at, part: part.name)
    }

    /// Whether a part may have gone by another's name.
    private func isMisnamed(around cold: Range<MonotonicInstant>) -> Bool {
        let start = cold.lowerBound.advanced(by: .zero - Machine.nameGrace)
        return hasWindow({ $0 == .wrongID }, from: start, to: cold.upperBound)
    }
}

/// Instants in order.
private struct SortedInstants {
    private let instants: [MonotonicInstant]

    init(_ instants: [MonotonicInstant]) { self.instants = instants.sorted() }

    subscript(range: Range<MonotonicInstant>) -> ArraySlice<MonotonicInstant> {
        let start = firstIndex { $0 >= range.lowerBound }
        return instants[start..<firstIndex { $0 >= range.upperBound }]
    }

    private func firstIndex(where isReached: (MonotonicInstant) -> Bool) -> Int {
        var (low, high) = (0, instants.count)
        while low < high {
            let middle = (low + high) / 2
            if isReached(instants[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
