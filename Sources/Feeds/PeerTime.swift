import Core
import Profiles
import Store

/// Answer of another station to `/api/v1/time`.
package struct PeerTime: Hashable, Sendable {
    /// Time when the answer arrived.
    package let wall: WallTime
    package let uncertaintySeconds: Double
    /// Source of the station's time, as `ClockReport` names it.
    package let trust: String

    /// Parses an answer; nil unless the station is sure of its time.
    ///
    /// - Parameters:
    ///   - bytes: The body as it came.
    ///   - way: How long the question and the answer took.
    /// - Throws: `FeedFault` when it is no station's.
    package init?(_ bytes: [UInt8], after way: Duration) throws(FeedFault) {
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
