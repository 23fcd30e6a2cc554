import Core
import Profiles

/// The board's watchdog, which resets the board.
package struct WatchdogConfiguration: Hashable, Sendable {
    package let path: String
    /// 2 s to the limit of the board's hardware: 15 s on a Pi, and where no limit is known.
    package let timeout: Duration

    private static let usualLimit: Duration = .seconds(15)
}

extension WatchdogConfiguration {
    init(_ reader: ObjectReader, _ board: Profile?) {
        var reader = reader
        path = reader.absolutePath("path") ?? "/dev/watchdog"
        let most = board?.board?.watchdogLimit ?? Self.usualLimit
        let asked = reader.seconds("timeoutSeconds", in: 2...86_400)
        timeout = min(asked ?? Self.usualLimit, most)
        if let asked, asked > most {
            let whose = board?.board?.watchdogLimit == nil ? "most boards" : board?.name ?? ""
            let (limit, found) = (
                JSONValue.number(most.inSeconds), JSONValue.number(asked.inSeconds)
            )
            reader.problem(
                "timeoutSeconds",
                "the watchdog of \(whose) supports \(limit.shown) s at most, found \(found.shown)"
            )
        }
        reader.finish()
    }
}
