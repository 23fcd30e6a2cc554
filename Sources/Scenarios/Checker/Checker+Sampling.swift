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
                            (before, "\(name) gave no value for \(length) s from \(words(before))")
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
        var times: [MonotonicInstant] = []
        let own = world.part(part) == nil ? part : nil
        for sample in records.samples where sample.hasValue {
            let name = own ?? records.device(of: part, at: sample.at)
            if name == records.devices[Int(sample.device)] { times.append(sample.at) }
        }
        return SortedInstants(times)
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
            // What moves again needs no remedy: its next sample is one to believe.
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
