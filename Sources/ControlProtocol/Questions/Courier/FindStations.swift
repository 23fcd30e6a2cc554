import HardwareIO

package struct FindStations: Question {
    package typealias Answer = StationsReport
    package static let about = QuestionFacts(
        "stations",
        for: .peopleAndDashboard,
        "Looks for the owner's other stations, and asks them for their summaries."
    )

    package init() {}
}

/// Other stations of the same owner: those found on the local network, and those of feeds.
package struct StationsReport: Codable, Hashable, Sendable {
    /// Stations of one report, at most.
    package static let stationsMax = 16

    /// The outcome of the search on the local network.
    package enum Search: String, Codable, Sendable, CaseIterable {
        /// The configuration does not ask for it.
        case off
        case done
        /// The program that asks avahi is not installed.
        case noProgram
        /// No courier runs, which would ask.
        case noCourier
        /// `why` says what went wrong.
        case failed
    }

    package var search: Search
    package var why: String?
    /// Stations of feeds first, in the order of the configuration; then those found, by name.
    package var items: [FoundStation]
    /// Found ones beyond `stationsMax`.
    package var omittedCount: Int

    package init(
        _ search: Search,
        why: String? = nil,
        items: [FoundStation] = [],
        omittedCount: Int = 0
    ) {
        (self.search, self.why) = (search, why)
        (self.items, self.omittedCount) = (items, omittedCount)
    }
}

/// One other station, with its own summary.
package struct FoundStation: Codable, Hashable, Sendable {
    package enum State: String, Codable, Sendable, CaseIterable {
        /// It sent its summary.
        case answers
        /// It answers only with one of its tokens.
        case needsToken
        /// It cannot be reached.
        case silent
        /// Another program answered, or an incompatible version.
        case foreign
    }

    /// Its own name, or else its name on the network, or that of its feed.
    package var name: String
    /// URL of its dashboard: `http://192.168.1.20:8080`.
    package let url: String
    /// Host name as `attic.local`; nil for one that was not found on the network.
    package var host: String?
    /// The id of the feed that names it; nil for one that was found alone.
    package var feed: String?
    package var state: State
    /// Why it did not answer, as words.
    package var why: String?
    /// Its summary; nil unless `state` is `answers`.
    package var facts: StationSummary?

    package init(name: String, url: String, state: State = .silent) {
        (self.name, self.url, self.state) = (name, url, state)
    }
}

/// A station's own summary, as far as a list of stations shows it.
package struct StationSummary: Codable, Hashable, Sendable {
    package var name: String
    package var version: String?
    package var bootID: String?
    package var isSimulated = false
    /// Whether a motion sensor sees motion, its hold included; nil without such a sensor.
    package var visited: Bool?
    /// Its position; nil where it gives none.
    package var position: PositionReport?
    /// Level of its first sentence: `good`, `poor`, `fault`.
    package var level: String
    /// Code of its first sentence: `level.poor`, `dust.stale`.
    package var code: String
    /// Its first sentence in English.
    package var sentence: String
    /// Device that the sentence names.
    package var device: String?
    package var channel: String?
    package var cause: String?
    package var sinceSeconds: Double?
    package var leftSeconds: Double?
    /// Quantities that it measures, sorted.
    package var quantities: [String] = []
    /// Whether it has a lamp.
    package var hasLamp = false

    package init(name: String, level: String, code: String, sentence: String) {
        (self.name, self.level, self.code, self.sentence) = (name, level, code, sentence)
    }
}
