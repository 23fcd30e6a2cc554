/// The only source of time: monotonic instants that count suspended time, and coalesced sleeps.
///
/// Every wait names a window `[t, t + tolerance]`. The clock wakes the processor at the earliest
/// window *end* and resumes everything whose window has opened, so tolerance is what saves power.
package protocol NodeClock: Sendable {
    var now: MonotonicInstant { get }

    /// Wall time; nil until the system clock is synchronised. Never use it to schedule.
    var wallTime: WallTime? { get }

    /// The machine's wall clock, trusted or not; nil when it was never set.
    var wallReading: WallReading? { get }

    /// Waits until `signal` is raised or its window opens.
    ///
    /// - Parameters:
    ///   - signal: Ends the wait early.
    ///   - deadline: Start of the window; nil waits for the signal alone.
    ///   - tolerance: How late the wake-up may come, ≥ 0.
    /// - Returns: true when raised, false when time came first.
    /// - Throws: `CancellationError`.
    func wait(
        for signal: Signal,
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> Bool
}

extension NodeClock {
    package var wallReading: WallReading? {
        wallTime.map { WallReading($0, .synchronised) }
    }

    /// Sleeps until the window `[deadline, deadline + tolerance]`.
    ///
    /// - Throws: `CancellationError`.
    package func sleep(
        until deadline: MonotonicInstant,
        tolerance: Duration = .zero
    ) async throws {
        _ = try await wait(for: Signal(), until: deadline, tolerance: tolerance)
    }

    /// Sleeps for `duration`, at most `tolerance` longer.
    ///
    /// - Throws: `CancellationError`.
    package func sleep(for duration: Duration, tolerance: Duration = .zero) async throws {
        try await sleep(until: now.advanced(by: duration), tolerance: tolerance)
    }

    /// Runs `body`, and cancels it when `signal` is raised before its end.
    ///
    /// The signal is consumed, so the caller keeps a flag of its own.
    ///
    /// - Returns: As `run(_:unless:)`.
    /// - Throws: As `run(_:unless:)`.
    package func run<Value: Sendable>(
        unless signal: Signal,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await run(body) { _ = try await wait(for: signal, until: nil, tolerance: .zero) }
    }

    /// Runs `body`, and cancels it when `interruption` ends first.
    ///
    /// This makes every wait abortable that ends on cancellation.
    ///
    /// - Returns: What `body` returns, also when it did so although it was cancelled; nil when it
    ///   was cut short.
    /// - Throws: What `body` throws; `CancellationError` when the caller is cancelled.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value,
        unless interruption: @escaping @Sendable () async throws -> Void
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await interruption()
                return nil
            }
            defer { group.cancelAll() }
            if let value = try await group.next() ?? nil { return value }
            group.cancelAll()
            do {
                return try await group.next() ?? nil
            } catch is CancellationError where !Task.isCancelled {
                return nil
            }
        }
    }
}

/// How far a boot's wall time can be trusted; the numbers are what a store keeps.
package enum ClockTrust: Int, Sendable, CaseIterable {
    /// The source of the clock's time is unknown.
    case unknown = 0
    /// A time server keeps it right.
    case synchronised = 1
    /// It started from a file's time stamp at boot, so it is late by the time without power.
    case fileStamp = 2
    /// A real time clock set it at boot.
    case hardwareClock = 3
    /// A person confirmed it: `roost clock trust`.
    case person = 4
    /// A receiver of positions said it, three times in a row.
    case receiver = 5
    /// A browser's own clock, which an owner called right.
    case browser = 6
    /// Another station on the network gave it, which has it from another source.
    case station = 7

    /// Name in reports.
    package var name: String {
        switch self {
        case .unknown: "unknown"
        case .synchronised: "time server"
        case .fileStamp: "file time stamp"
        case .hardwareClock: "real time clock"
        case .person: "person"
        case .receiver: "receiver of positions"
        case .browser: "browser"
        case .station: "station nearby"
        }
    }

    /// Whether it is the word of another source than the system clock.
    package var isConfirmed: Bool {
        switch self {
        case .person, .receiver, .browser, .station: true
        case .unknown, .synchronised, .fileStamp, .hardwareClock: false
        }
    }

    /// Whether times are called sure.
    package var isSure: Bool { rank >= Self.station.rank }

    /// Whether nothing that is less trusted casts doubt on it, in another boot neither.
    package var isFirm: Bool { rank >= Self.person.rank }

    /// Largest error of a sure time; nil for a time that is not sure.
    package var uncertainty: Duration? {
        switch self {
        case .unknown, .fileStamp, .hardwareClock: nil
        case .synchronised: .seconds(1)
        // Its sentences come within the second that they tell.
        case .receiver: .seconds(1)
        case .browser: .minutes(1)
        // Typed to the minute, from a watch.
        case .person: .minutes(2)
        // At most: as what it has from a person, half the way there and back, and its rounding.
        case .station: .minutes(3)
        }
    }

    /// The order of the steps, the least trusted first.
    package var rank: Int {
        switch self {
        case .unknown: 0
        case .fileStamp: 1
        case .hardwareClock: 2
        case .station: 3
        case .receiver: 4
        case .browser: 5
        case .person: 6
        case .synchronised: 7
        }
    }
}

/// The time of a clock, and how far it can be trusted.
package struct WallReading: Hashable, Sendable {
    package let wall: WallTime
    package let trust: ClockTrust

    package init(_ wall: WallTime, _ trust: ClockTrust) {
        self.wall = wall
        self.trust = trust
    }
}

/// Wall time in nanoseconds since 1970-01-01 00:00 UTC.
package struct WallTime: Hashable, Comparable, Sendable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// 2020-01-01; an earlier date means that the clock was never set, even if it claims to be.
    package static let plausible = WallTime(nanoseconds: 1_577_836_800_000_000_000)

    package func advanced(by duration: Duration) -> WallTime {
        WallTime(nanoseconds: nanoseconds + duration.wholeNanoseconds)
    }

    package static func < (left: WallTime, right: WallTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Int {
    /// Quotient and remainder with the remainder in `0 ..< divisor`.
    package func flooredDivision(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
