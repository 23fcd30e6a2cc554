import Core
import Profiles
import Store

/// The answer of another station to `/api/v1/time`.
package struct PeerTime: Hashable, Sendable {
    /// When the answer came.
    package let wall: WallTime
    package let uncertaintySeconds: Double
    /// By what the station knows it, as `ClockReport` names that.
    package let trust: String

    /// Reads an answer; nil unless the station is sure.
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
        // It says whole seconds, that of half the way ago.
        wall = said.advanced(by: .milliseconds(500) + way / 2)
        uncertaintySeconds = doubt + 0.5 + way / .seconds(2)
        self.trust = PeerStation.plain(trust)
    }
}
