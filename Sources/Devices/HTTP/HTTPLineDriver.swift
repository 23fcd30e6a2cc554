import Core
import HardwareIO
import Runtime
import Synchronization

/// Asks an HTTP device for one line, again and again.
///
/// An HTTP device that does not answer is asked at growing distances, up to five minutes, and every
/// interval that it misses has its reason. That it is not there is no failure of the station:
/// it ends only when it is stopped.
package actor HTTPLineDriver: OrderlyStop {
    /// How long one answer may take; a slow HTTP device keeps its connection for seconds.
    static let patience: Duration = .seconds(10)
    static let longestPause: Duration = .minutes(5)
    /// Missed intervals that get a reason each, at most; a longer gap is one event.
    static let missedMax = 2_016
    /// Failures in a row after which the HTTP device counts as gone.
    static let failuresUntilTold = 3

    private let name: String
    private let target: HTTPTarget
    private let format: LineFormat
    private let interval: Duration
    private let fetcher: any HTTPFetcher
    private let clock: any NodeClock
    private let sink: any ReadingSink
    private let heartbeat: Heartbeat
    private let stop = Signal()
    private let stopRequested = Atomic(false)

    private var filter: PlausibilityFilter
    private var eventBudget = EventBudget(perHour: 120)
    private var failures = 0
    private var failingSince: MonotonicInstant?
    private var answerCount = 0
    private var questionCount = 0
    private var lastAnswerAt: MonotonicInstant?
    private var lastSampleAt: MonotonicInstant?
    private var lastTrouble: String?
    private var nextQuestionAt: MonotonicInstant?

    /// A driver.
    ///
    /// - Parameters:
    ///   - name: The device's name, for channels and events.
    ///   - target: Where the HTTP device is.
    ///   - interval: From one question to the next, 1…3 600 s.
    package init(
        name: String,
        target: HTTPTarget,
        format: LineFormat,
        interval: Duration,
        fetcher: any HTTPFetcher,
        environment: DriverEnvironment
    ) {
        self.name = name
        self.target = target
        self.format = format
        self.interval = interval
        self.fetcher = fetcher
        filter = PlausibilityFilter(format.quantities, by: format.channels)
        clock = environment.clock
        sink = environment.sink
        heartbeat = environment.heartbeat
    }

    /// How the HTTP device has answered so far.
    package var report: HTTPLineReport {
        var report = HTTPLineReport(
            answerCount: answerCount,
            questionCount: questionCount,
            doubts: filter.findings.map(\.description),
            failureCount: failures,
            lastAnswerAt: lastAnswerAt,
            lastTrouble: lastTrouble
        )
        report.nextQuestionAt = nextQuestionAt
        return report
    }

    nonisolated package func requestStop() {
        stopRequested.store(true, ordering: .sequentiallyConsistent)
        stop.raise()
    }

    package func run() async throws {
        // Questions lie on a grid of intervals, however late one of them is asked.
        var due = clock.now
        var pause = interval
        while !Task.isCancelled, !isStopping {
            heartbeat.beat(nextWithin: Self.patience + .minutes(1))
            let began = clock.now
            // An HTTP device or a name server that does not answer must not delay a stop.
            let answer = try await clock.run(unless: stop) { try await self.ask() }
            guard let answer else {
                // The question that the stop cut short leaves no gap without a reason.
                _ = await account(from: due, to: began, .stopped)
                return
            }
            let trouble: NoData? = if case .noData(let reason) = answer { reason } else { nil }
            due = await account(from: due, to: began, trouble)
            if case .outcomes(let outcomes) = answer { await succeed(outcomes) }
            pause = trouble == nil ? interval : max(interval, min(pause * 2, Self.longestPause))
            // A stop that came together with the answer has used up its signal.
            guard !isStopping else { return }
            let next = trouble == nil ? due : max(due, began.advanced(by: pause))
            nextQuestionAt = next
            heartbeat.beat(nextWithin: pause + Self.patience + .minutes(1))
            _ = try await clock.wait(for: stop, until: next, tolerance: interval / 10)
        }
    }

    private var isStopping: Bool { stopRequested.load(ordering: .sequentiallyConsistent) }

    private enum Answer {
        case outcomes([Outcome])
        case noData(NoData)
    }

    private func ask() async throws -> Answer {
        questionCount += 1
        let deadline = clock.now.advanced(by: min(Self.patience, max(interval, .seconds(2))))
        do {
            let response = try await fetcher.get(target, until: deadline)
            guard response.status == 200 else {
                let isElsewhere = (300...399).contains(response.status)
                let next = isElsewhere ? ", another address, which is not followed; give that" : ""
                return await fail(.badFrames, "\(target): status \(response.status)\(next)")
            }
            guard let line = Self.line(of: response.body) else {
                return await fail(.badFrames, "\(target): an empty answer")
            }
            switch format.read(line) {
            case .success(let outcomes): return .outcomes(outcomes)
            case .failure(let flaw): return await fail(.badFrames, "\(target): \(flaw.words)")
            }
        } catch let error as HTTPError {
            if case .malformed = error { return await fail(.badFrames, "\(error)") }
            return await fail(.replyTimeout, "\(error)")
        }
    }

    /// The first line that is not empty.
    private static func line(of body: [UInt8]) -> ArraySlice<UInt8>? {
        body.split { $0 == 0x0A || $0 == 0x0D }.first { !$0.allSatisfy { $0 == 0x20 } }
    }

    private func succeed(_ outcomes: [Outcome]) async {
        answerCount += 1
        let now = clock.now
        if failures >= Self.failuresUntilTold, let since = failingSince {
            let seconds = Int(since.duration(to: now).inSeconds)
            await record(.httpDeviceBack, .notice, [Event.Detail("after", "\(seconds) s")])
            filter.restart()
        }
        (failures, failingSince, lastAnswerAt, lastSampleAt) = (0, nil, now, now)
        let verdict = filter.check(outcomes, by: .asked(every: interval))
        sink.accept(
            zip(format.quantities, verdict.outcomes).map { quantity, outcome in
                Reading(Channel(device: name, quantity: quantity), at: now, outcome)
            }
        )
        for finding in verdict.begun { await report(.readingsDoubtful, .warning, finding) }
        for finding in verdict.ended { await report(.readingsGood, .notice, finding) }
    }

    private func fail(_ reason: NoData, _ words: String) async -> Answer {
        failures += 1
        if failingSince == nil { failingSince = clock.now }
        lastTrouble = words
        if failures == Self.failuresUntilTold {
            await record(.httpDeviceLost(reason: words), .error)
        }
        return .noData(reason)
    }

    /// Gives a reason to every interval since `due` that has no value.
    ///
    /// - Returns: When the next question is due.
    private func account(
        from due: MonotonicInstant,
        to began: MonotonicInstant,
        _ reason: NoData?
    ) async -> MonotonicInstant {
        let passed = Int(max(.zero, due.duration(to: began)) / interval)
        // A good answer counts for the interval in which it came.
        let missed = passed + (reason == nil ? 0 : 1)
        for index in 0..<min(missed, Self.missedMax) {
            let instant = due.advanced(by: interval * index)
            // A late answer keeps its own time and counts for the intervals before it.
            if let lastSampleAt, instant <= lastSampleAt { continue }
            lastSampleAt = instant
            sink.accept(
                format.quantities.map {
                    let outcome = Outcome.noData(reason ?? .replyTimeout)
                    return Reading(Channel(device: name, quantity: $0), at: instant, outcome)
                }
            )
        }
        if missed > Self.missedMax {
            let details = [Event.Detail("count", "\(missed - Self.missedMax)")]
            await record(.plain(.intervalsSkipped), .warning, details)
        }
        return due.advanced(by: interval * (passed + 1))
    }

    private func record(
        _ kind: EventKind,
        _ severity: Event.Severity,
        _ details: [Event.Detail] = []
    ) async {
        sink.record(
            Event(at: clock.now, source: name, kind: kind, severity: severity, details: details)
        )
    }

    /// Records a doubt that begins or ends, which each answer may do.
    private func report(
        _ kind: EventKind.Plain,
        _ severity: Event.Severity,
        _ finding: PlausibilityFilter.Finding
    ) async {
        let decision = eventBudget.admit(at: clock.now)
        guard decision != .withhold else { return }
        await record(.plain(kind), severity, finding.details)
        guard decision == .recordLast else { return }
        await record(.plain(.eventsWithheld), .warning)
    }
}

/// How an HTTP device has answered so far.
package struct HTTPLineReport: Hashable, Sendable {
    package let answerCount: Int
    package let questionCount: Int
    /// Reasons to doubt the device's values.
    package let doubts: [String]
    /// Failures since the last good answer.
    package let failureCount: Int
    package let lastAnswerAt: MonotonicInstant?
    /// The last fault, as text; stays after the device answers again.
    package let lastTrouble: String?
    /// Instant of the next request; nil before the first answer.
    package var nextQuestionAt: MonotonicInstant?

    /// `answering`, `not answering`, or `asking` before the first answer.
    package var state: String {
        if failureCount >= HTTPLineDriver.failuresUntilTold { return "not answering" }
        return answerCount == 0 ? "asking" : "answering"
    }
}
