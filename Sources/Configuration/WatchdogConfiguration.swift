import Core
import Profiles

/// The board's watchdog, which resets the board.
package struct WatchdogConfiguration: Hashable, Sendable {
    package let path: String
    /// Time without a pet after which the board resets, from 2 s to the board's limit.
    ///
    /// The limit is 15 s where the board's profile has none. The default is 15 s, or a lower limit.
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
