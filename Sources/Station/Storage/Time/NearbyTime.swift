import ControlProtocol
import Core
import Store

/// The time that stations nearby agree on.
///
/// One whose own time is of a station nearby does not count, so that two stations never have it
/// from each other. None counts that says a time which was over when this station started, and
/// where two contradict each other, none at all: nothing here knows which of them is wrong.
enum NearbyTime: Hashable, Sendable {
    case unknown
    /// The station with this name gives a time that was over when this one started.
    case past(String)
    /// Each of the two names a time that the other excludes.
    case contradiction(String, String)
    case agreed(NeighbourTime)

    /// - Parameters:
    ///   - times: What was heard, of this moment.
    ///   - known: The time of a station nearby that counts already; what contradicts it is not
    ///     used.
    ///   - floor: It is not earlier now.
    init(_ times: [NeighbourTime], beside known: NeighbourTime?, notBefore floor: WallTime) {
        let sound = times.filter(\.isSound)
        let present = sound.filter { $0.span.upperBound >= floor.nanoseconds }
        guard let best = present.min(by: { $0.uncertaintySeconds < $1.uncertaintySeconds }) else {
            self = sound.first.map { .past($0.name) } ?? .unknown
            return
        }
        let all = present + [known].compactMap(\.self)
        // Spans that overlap in pairs have a moment in common.
        let latest = all.max { $0.span.lowerBound < $1.span.lowerBound } ?? best
        let earliest = all.min { $0.span.upperBound < $1.span.upperBound } ?? best
        guard latest.span.overlaps(earliest.span) else {
            self = .contradiction(earliest.name, latest.name)
            return
        }
        self = .agreed(best)
    }

    var report: NearbyClockReport? {
        switch self {
        case .unknown: nil
        case .past(let name): NearbyClockReport(.past, [name])
        case .contradiction(let one, let other):
            NearbyClockReport(.contradiction, [one, other])
        case .agreed(let time): NearbyClockReport(.used, [time.name])
        }
    }
}

extension NeighbourTime {
    /// Whether it has the time from a source of its own, and may be off by no more than the
    /// anchors of its kind are believed to be.
    fileprivate var isSound: Bool {
        let source = ClockTrust.allCases.first { $0.name == trust }
        let limit = (ClockTrust.station.uncertainty ?? .zero) / .seconds(1)
        return source?.isSure == true && source != .station
            && (0...limit).contains(uncertaintySeconds)
            // From 1970 to 2199.
            && (0..<7_258_118_400_000).contains(milliseconds)
            && (1...Self.nameMax).contains(name.utf8.count)
    }

    /// Interval in which the station's time may lie.
    fileprivate var span: ClosedRange<Int64> {
        let middle = milliseconds * 1_000_000
        let doubt = Int64(uncertaintySeconds * 1e9)
        return middle - doubt...middle + doubt
    }

    fileprivate init(_ time: ConfirmedTime, at now: MonotonicInstant) {
        self.init(
            name: time.device ?? "",
            milliseconds: time.reading(at: now).wall.nanoseconds / 1_000_000,
            uncertaintySeconds: time.doubt(at: now) / .seconds(1),
            trust: time.trust.name
        )
    }
}

extension StationContext {
    /// Weighs the times of nearby stations; an event reports a change.
    func hear(_ times: [NeighbourTime]) {
        let (now, system) = (clock.now, clock.wallReading)
        // A file's time stamp goes on from what was, so it is ahead by no more than that was.
        let doubt = ClockTrust.station.uncertainty ?? .zero
        let stamp = system.flatMap { reading in
            reading.trust == .fileStamp ? reading.wall.advanced(by: .zero - doubt) : nil
        }
        let found = NearbyTime(
            times,
            beside: givenTime.ofNeighbour.map { NeighbourTime($0, at: now) },
            notBefore: max(builtAt, stamp ?? builtAt)
        )
        guard case .agreed(let said) = found else {
            // Where none answers, what was used before goes on.
            if let report = found.report { givenTime.nearby = report }
            return
        }
        var time = ConfirmedTime(
            WallTime(nanoseconds: said.milliseconds * 1_000_000),
            at: now,
            by: .station,
            device: said.name
        )
        time.stationDoubt = .seconds(said.uncertaintySeconds)
        // Without a store it is not used, and asked for again.
        guard let worth = givenTime.give(time, beside: system) else { return }
        givenTime.nearby = found.report
        guard worth == .news else { return }
        recorder.record(
            Event(
                at: now,
                source: "courier",
                kind: .plain(.clockTrusted),
                severity: .notice,
                details: [
                    Event.Detail("time", time.wall.iso8601),
                    Event.Detail("cause", "\(ClockTrust.station.name): \(said.name)"),
                ]
            )
        )
    }
}
