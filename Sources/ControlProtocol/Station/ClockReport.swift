/// The time of the station's clock, and how far it can be trusted.
package struct ClockReport: Codable, Hashable, Sendable {
    /// ISO 8601 in UTC; nil while the clock was never set.
    package let time: String?
    /// The source of the time, least trusted first: `unknown`, `file time stamp`,
    /// `real time clock`, `station nearby`, `receiver of positions`, `browser`, `person`,
    /// `time server`.
    package let trust: String
    /// Whether the time counts as reliable.
    package let isSure: Bool
    /// Possible error; nil while the time is not reliable.
    package let uncertaintySeconds: Int?
    /// Use of the times of stations nearby; nil with a better source, and before one was asked.
    package var nearby: NearbyClockReport?

    package init(time: String?, trust: String, isSure: Bool, uncertaintySeconds: Int? = nil) {
        self.time = time
        self.trust = trust
        self.isSure = isSure
        self.uncertaintySeconds = uncertaintySeconds
    }
}

/// The use that was made of the times of stations nearby.
package struct NearbyClockReport: Codable, Hashable, Sendable {
    package enum State: String, Codable, Sendable, CaseIterable {
        /// The clock uses the station's time.
        case used
        /// The stations contradict one another, or the time used before.
        case contradiction
        /// The station's time lies before the start of this one.
        case past
    }

    package let state: State
    /// Names of the stations: one, or two for a contradiction; empty if unknown after a restart.
    package let stations: [String]

    package init(_ state: State, _ stations: [String]) {
        (self.state, self.stations) = (state, stations)
    }
}

/// The time that another station says.
package struct NeighbourTime: Codable, Hashable, Sendable {
    /// Times in one request, at most.
    package static let countMax = 16
    /// Bytes of a name, at most.
    package static let nameMax = 64

    /// Name of the station on the network or in its feed.
    package let name: String
    /// Milliseconds since 1970 when the request is sent.
    package let milliseconds: Int64
    /// Possible error, the delay on the network included.
    package let uncertaintySeconds: Double
    /// Source of the station's time, as in `ClockReport.trust`.
    package let trust: String

    package init(
        name: String,
        milliseconds: Int64,
        uncertaintySeconds: Double,
        trust: String
    ) {
        (self.name, self.milliseconds) = (name, milliseconds)
        (self.uncertaintySeconds, self.trust) = (uncertaintySeconds, trust)
    }
}
