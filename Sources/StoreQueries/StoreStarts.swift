import Core
import Store

/// When the station's program started, and what ended the run before.
package struct StoreStarts: Codable, Hashable, Sendable {
    /// Number of starts shown, the newest.
    private static let countMax = 20

    package struct Start: Codable, Hashable, Sendable {
        /// ISO 8601; nil while nothing dates it.
        package let at: String?
        package let reason: Reason
    }

    /// The state of the program before the start.
    package enum Reason: String, Codable, Hashable, Sendable, CaseIterable {
        /// Nothing: the history begins here.
        case first
        /// It was stopped and started in the same boot.
        case restarted
        /// It ended without a stop in the same boot.
        case crashed
        /// It was stopped, and the machine started anew.
        case rebooted
        /// No stop was recorded, and the machine started anew.
        case powerLost
        /// The board's watchdog started the machine anew.
        case watchdog
    }

    /// Newest first.
    package let boots: [Start]

    /// - Parameters:
    ///   - runs: Of the history, oldest first.
    ///   - watchdogBoot: The boot that the watchdog caused, as far as that is known.
    init(
        _ runs: [NodeRun],
        watchdogBoot: BootID? = nil,
        time: (BootID, Tick) -> WallTime?
    ) {
        var (starts, before) = ([Start](), NodeRun?.none)
        for run in runs {
            let reason: Reason =
                switch before {
                case nil: .first
                case let last? where last.boot == run.boot:
                    last.end == .stopped ? .restarted : .crashed
                case let last?:
                    if last.end == .stopped {
                        .rebooted
                    } else {
                        run.boot == watchdogBoot ? .watchdog : .powerLost
                    }
                }
            let at = time(run.boot, run.started)?.iso8601
            starts.append(Start(at: at, reason: reason))
            before = run
        }
        boots = starts.suffix(Self.countMax).reversed()
    }

    package init(_ times: StoreTimes, watchdogBoot: BootID?) {
        self.init(times.runs, watchdogBoot: watchdogBoot) { times.clock.time($0, $1)?.wall }
    }
}
