import Core
import Store
import StoreQueries

/// When the station's program started, and what ended the run before.
struct StartsView: Hashable, Sendable {
    /// Number of starts shown, the newest.
    static let countMax = 20

    struct Start: Hashable, Sendable {
        /// Time of the start; nil while nothing dates it.
        let time: WallTime?
        let reason: Reason
    }

    /// The state of the program before the start.
    enum Reason: String, Hashable, Sendable, CaseIterable {
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
    let starts: [Start]

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
            starts.append(Start(time: time(run.boot, run.started), reason: reason))
            before = run
        }
        self.starts = starts.suffix(Self.countMax).reversed()
    }

    init(_ history: OpenHistory, watchdogBoot: BootID?) {
        self.init(history.times.runs, watchdogBoot: watchdogBoot) {
            history.times.clock.time($0, $1)?.wall
        }
    }

    func write(_ json: inout JSONTextBuilder) {
        json.array("boots", starts) { json, start in
            json.object { json in
                json.member("at", start.time)
                json.member("reason", start.reason.rawValue)
            }
        }
    }
}
