import ControlProtocol
import Core
import Profiles

/// Parser of another station's `/api/v1/station`: its verdict and its channels.
///
/// The answer is not trusted: texts are cut to `textMax` characters without control characters, and
/// a missing or wrong part is left out.
enum PeerStation {
    static let textMax = 200
    static let quantitiesMax = 32
    private static let levels: Set = ["good", "moderate", "poor", "unknown", "fault"]

    /// Parses an answer.
    ///
    /// - Parameter bytes: The body as it came.
    /// - Returns: The facts that a list of stations shows.
    /// - Throws: `FeedFault` when it is no station's.
    static func decode(_ bytes: [UInt8]) throws(FeedFault) -> StationSummary {
        let body = try FeedBody(bytes)
        let (station, verdict) = (try body.required("station"), try body.required("verdict"))
        let level = verdict.member("level")?.text ?? ""
        var facts = StationSummary(
            name: plain(try text("name", of: station)),
            level: levels.contains(level) ? level : "unknown",
            code: plain(try text("code", of: verdict)),
            sentence: plain(try text("sentence", of: verdict))
        )
        facts.version = station.member("version")?.text.map(plain)
        facts.bootID = station.member("bootID")?.text.map(plain)
        facts.isSimulated = flag("isSimulated", of: station) ?? false
        facts.visited = flag("visited", of: station)
        if let north = station.member("latitude")?.number,
            let east = station.member("longitude")?.number,
            (-90...90).contains(north), (-180...180).contains(east)
        {
            facts.position = PositionReport(latitude: north, longitude: east)
        }
        facts.device = verdict.member("device")?.text.map(plain)
        facts.channel = verdict.member("channel")?.text.map(plain)
        facts.cause = verdict.member("cause")?.text.map(plain)
        facts.sinceSeconds = verdict.member("sinceSeconds")?.number
        facts.leftSeconds = verdict.member("leftSeconds")?.number
        let names = (body.member("channels")?.items ?? []).compactMap { channel in
            channel.member("quantity")?.text.map(plain)
        }
        facts.quantities = Array(Set(names).sorted().prefix(quantitiesMax))
        facts.hasLamp = body.member("lamp")?.text != nil
        return facts
    }

    /// Cleans a text of another station for a list.
    ///
    /// Removes control characters and marks that change the direction of text.
    static func plain(_ text: String) -> String {
        String(String.UnicodeScalarView(ForeignText.plain(text).unicodeScalars.prefix(textMax)))
    }

    private static func text(_ key: String, of body: FeedBody) throws(FeedFault) -> String {
        let member = try body.required(key)
        guard let text = member.text else {
            throw .shape(place: member.place, wanted: "text", found: member.shown)
        }
        return text
    }

    private static func flag(_ key: String, of body: FeedBody) -> Bool? {
        guard case .bool(let flag)? = body.member(key)?.value else { return nil }
        return flag
    }
}
