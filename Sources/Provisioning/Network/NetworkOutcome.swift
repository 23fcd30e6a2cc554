/// The end of the last try to join a network.
package struct NetworkOutcome: Codable, Hashable, Sendable {
    package enum Result: String, Codable, Sendable, CaseIterable {
        case joined, wrongPassword, absent, refused, noAddress
        /// The station was switched off before the network was proved.
        case interrupted
        /// The station could not try: `why` has the reason.
        case failed
        /// The request was not a right one: `why` has the reason.
        case invalid
    }

    package static let path = NetworkSurvey.folder + "/last.json"

    /// The network's name, as hexadecimal digits.
    package let network: String
    package let result: Result
    /// One English sentence; nil where the result says all.
    package var why: String?
    /// ISO 8601 in UTC; nil while the clock was not set.
    package var time: String?

    package init(_ network: String, _ result: Result, why: String? = nil, time: String? = nil) {
        (self.network, self.result, self.why, self.time) = (network, result, why, time)
    }
}

extension WirelessFinding.Cause {
    /// How the try of a network ended by this.
    package var result: NetworkOutcome.Result {
        switch self {
        case .wrongPassword: .wrongPassword
        case .absent: .absent
        case .refused: .refused
        case .noAddress: .noAddress
        }
    }
}
