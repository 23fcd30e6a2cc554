import ControlProtocol
import Core
import Synchronization

/// Carries out `courierEvent` and `cameraEvent`: records what a process beside the station says of
/// its own work.
///
/// Bound: 60 an hour, counted from the first; further ones are counted, and the next that is kept
/// says how many were left out. Notices that went out have half of it: they must not keep a fault
/// of a target away.
final class CourierEvents: Sendable {
    /// A process that may record events, and the events and details that it may send.
    struct Speaker: Sendable {
        let source: String
        let kinds: [EventKind.Plain: Event.Severity]
        /// Names in the request, and in the event: times there are tenths since boot.
        let keys: [(String, String)]

        static let courier = Speaker(
            source: "courier",
            kinds: [
                .courierStarted: .info, .courierStopped: .info, .outboxHeld: .warning,
                .outboxResumed: .notice, .outboxRefused: .notice, .outboxExpired: .warning,
                .outboxDrained: .info, .outboxLate: .warning, .outboxInTime: .notice,
                .settingsChanged: .notice, .noticeSent: .info,
            ],
            keys: [
                ("target", "target"), ("why", "why"), ("from", "since"), ("to", "until"),
                ("samples", "samples"), ("setting", "setting"), ("before", "before"),
                ("now", "now"), ("actor", "actor"), ("key", "key"),
            ]
        )
        static let camera = Speaker(
            source: "camera",
            kinds: [.cameraStarted: .info, .cameraFails: .warning, .cameraWorks: .notice],
            keys: [("why", "why"), ("count", "left out")]
        )
    }

    private static let hour = Duration.seconds(3_600)
    private static let textMax = 120

    private struct State {
        var begun: MonotonicInstant?
        var keptCount = 0
        var omittedCount = 0
    }

    private let speaker: Speaker
    private let station: StationContext
    private let state = Mutex(State())

    init(_ speaker: Speaker, station: StationContext) {
        (self.speaker, self.station) = (speaker, station)
    }

    /// Records an event.
    ///
    /// - Throws: `ControlFailure` `bad-request`.
    func record(
        _ name: String,
        _ given: [String: String]?
    ) throws(ControlFailure) -> CourierEventReport {
        let (kind, severity) = try kind(named: name)
        let now = station.clock.now
        let event = Event(
            at: now,
            source: speaker.source,
            name: kind.rawValue,
            severity: severity,
            details: try details(given ?? [:])
        )
        follow(event.kind)
        let (isKept, before, omitted) = state.withLock { state in
            if state.begun.map({ $0.advanced(by: Self.hour) <= now }) ?? true {
                (state.begun, state.keptCount) = (now, 0)
            }
            let limit = CourierEventReport.countPerHour / (kind == .noticeSent ? 2 : 1)
            guard state.keptCount < limit else {
                state.omittedCount += 1
                return (false, 0, state.omittedCount)
            }
            defer { state.omittedCount = 0 }
            state.keptCount += 1
            return (true, state.omittedCount, 0)
        }
        if isKept {
            let more = before > 0 ? [Event.Detail("left out", "\(before)")] : []
            station.recorder.record(event.with(more))
        }
        return CourierEventReport(isKept: isKept, omittedCount: omitted)
    }

    /// Raises a fault for as long as a target is late, even when its event is not kept.
    private func follow(_ kind: EventKind) {
        switch kind {
        case .outboxLate(let late):
            let words = "\(late.target): \(late.why ?? "data waits")"
            station.faults.raise(.outboxFails, of: late.target, words, isTold: true)
        case .outboxInTime(let target):
            station.faults.clear(.outboxFails, of: target, isTold: true)
        // The courier that reported these faults has gone and cannot clear them.
        case .plain(.courierStarted), .plain(.courierStopped):
            station.faults.clear(all: .outboxFails)
        default: break
        }
    }

    private func kind(
        named name: String
    ) throws(ControlFailure) -> (EventKind.Plain, Event.Severity) {
        if let kind = EventKind.Plain(rawValue: name), let severity = speaker.kinds[kind] {
            return (kind, severity)
        }
        throw .badRequest(
            "kind is one of "
                + speaker.kinds.keys.map(\.rawValue).sorted().joined(separator: ", ")
        )
    }

    private func details(_ given: [String: String]) throws(ControlFailure) -> [Event.Detail] {
        let known = Set(speaker.keys.map(\.0))
        let isValid = given.allSatisfy { key, value in
            known.contains(key) && (1...Self.textMax).contains(value.utf8.count)
                && value.isOneLine
        }
        guard isValid else {
            throw .badRequest(
                "details are \(speaker.keys.map(\.0).joined(separator: ", ")), each of 1 to "
                    + "\(Self.textMax) bytes without control characters"
            )
        }
        return speaker.keys.compactMap { name, key in given[name].map { Event.Detail(key, $0) } }
    }
}
