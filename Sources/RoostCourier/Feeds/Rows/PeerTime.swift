import Core
import Profiles

/// Answer of another station to `/api/v1/time`.
struct PeerTime: Hashable, Sendable {
    /// The peer's time at the moment when its answer arrived, an estimate.
    let wall: WallTime
    /// Uncertainty of `wall`: the peer's own, half a second of rounding, half the round trip.
    let uncertaintySeconds: Double
    /// Source of the station's time, as `ClockReport` names it.
    let trust: String

    /// Parses an answer; nil unless the station is sure of its time.
    ///
    /// - Parameters:
    ///   - bytes: The body as it came.
    ///   - way: The round trip, from the question to the answer.
    /// - Throws: `FeedFault` when the body is not the answer of a station.
    init?(_ bytes: [UInt8], after way: Duration) throws(FeedFault) {
        let body = try FeedBody(bytes)
        guard let trust = try body.required("trust").text,
            case .bool(true)? = body.member("isSure")?.value,
            let said = body.member("time")?.text.flatMap({ WallTime(iso8601: $0) }),
            let doubt = body.member("uncertaintySeconds")?.number, doubt >= 0
        else { return nil }
        // The answer has whole seconds, and is half the round trip old.
        wall = said.advanced(by: .milliseconds(500) + way / 2)
        uncertaintySeconds = doubt + 0.5 + way / .seconds(2)
        self.trust = PeerStation.plain(trust)
    }
}
