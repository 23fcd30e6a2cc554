import ControlProtocol
import Core
import Profiles
import Store

/// Parser of a page of another station's `/api/v1/readings`.
///
/// A series is the other station's channel: `dust/pm25`. Samples of unsure time are left out: once
/// their time changed, they would be there twice.
enum PeerRows {
    /// Returns the rows of one page.
    ///
    /// - Parameters:
    ///   - bytes: The body as it came, 2 MiB at most.
    ///   - source: The name that the owner gave the other station, 1…64 bytes.
    ///   - wanted: The channel that was asked for: `dust/pm25`.
    /// - Returns: A row for each sample with a sure time, oldest first.
    /// - Throws: `FeedFault` when the whole body says nothing; a wrong item is an omission.
    static func decode(
        _ bytes: [UInt8],
        from source: String,
        of wanted: String
    ) throws(FeedFault) -> FeedRows {
        let body = try FeedBody(bytes)
        // A problem document (RFC 9457), whatever the status was.
        if body.member("items") == nil, let title = body.member("title")?.text {
            throw .refused(body.member("detail")?.text ?? title)
        }
        let channel = try text("channel", of: body)
        // Another station may not choose names here.
        guard channel == wanted else {
            let found = JSONValue.string(channel).shown
            throw .shape(place: "/channel", wanted: wanted, found: String(found.prefix(80)))
        }
        let unit = try text("unit", of: body)
        var result = FeedRows()
        result.goOn(at: body.member("next")?.text)
        for item in try body.required("items").elements() {
            guard let stamp = item.member("time") else {
                result.omit(item.place, "has no time")
                continue
            }
            guard let time = stamp.text.flatMap({ WallTime(iso8601: $0) }) else {
                result.omit(stamp.place, "\(stamp.shown) is no time")
                continue
            }
            guard item.member("isSure")?.value == .bool(true) else {
                result.omit(item.place, "has a time that the station is not sure of")
                continue
            }
            let value = item.member("value")
            if let value, value.number == nil {
                result.omit(value.place, "\(value.shown) is no number")
            }
            result.rows.append(
                ImportRow(
                    source: source,
                    series: channel,
                    unit: unit,
                    time: time.iso8601Tenths,
                    value: value?.number
                )
            )
        }
        return result
    }

    private static func text(_ key: String, of body: FeedBody) throws(FeedFault) -> String {
        let member = try body.required(key)
        guard let text = member.text else {
            throw .shape(place: member.place, wanted: "text", found: member.shown)
        }
        return text
    }
}
