/// What the station's clock says, and why it can be trusted or not.
package struct ClockReport: Codable, Hashable, Sendable {
    /// ISO 8601 in UTC; nil while the clock was never set.
    package let time: String?
    /// The step of trust, least first: `unknown`, `file time stamp`, `real time clock`,
    /// `station nearby`, `receiver of positions`, `browser`, `person`, `time server`.
    package let trust: String
    /// Whether times are called sure.
    package let isSure: Bool
    /// How far it may be off; nil for one that is not sure.
    package let uncertaintySeconds: Int?
    /// The word of stations nearby; nil while something better is known, and before one was asked.
    package var nearby: NearbyClockReport?

    package init(time: String?, trust: String, isSure: Bool, uncertaintySeconds: Int? = nil) {
        self.time = time
        self.trust = trust
        self.isSure = isSure
        self.uncertaintySeconds = uncertaintySeconds
    }
}

/// How the times that stations nearby say were used.
package struct NearbyClockReport: Codable, Hashable, Sendable {
    package enum State: String, Codable, Sendable, CaseIterable {
        /// The time is the one of the station.
        case used
        /// The stations contradict one another, or one of them what was used before.
        case contradiction
        /// The station says a time that was over when this one started.
        case past
    }

    package let state: State
    /// One name, or of a contradiction two; a name may be empty after a restart.
    package let stations: [String]

    package init(_ state: State, _ stations: [String]) {
        (self.state, self.stations) = (state, stations)
    }
}

/// The time that another station says.
package struct NeighbourTime: Codable, Hashable, Sendable {
    /// Times of one request, at most.
    package static let countMax = 16
    /// Bytes of a name, at most.
    package static let nameMax = 64

    /// As the network or a feed names it.
    package let name: String
    /// Since 1970, when the request is sent.
    package let milliseconds: Int64
    /// How far it may be off, the way to the station included.
    package let uncertaintySeconds: Double
    /// By what the station knows it, as `ClockReport` names that.
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
