import ControlProtocol
import Core
import Profiles
import Store

/// Parser of the PSI and PM2.5 of data.gov.sg, in both of its envelopes.
///
/// A series is region and quantity: `west/pm25`. A region that is missing, or has −1 or null, makes
/// a row without a value, so that a later value counts as a correction.
///
/// - Source: data.gov.sg OpenAPI 1.0.11 (v2); `stuartbreckenridge/Singapore-Breathe`,
///   `Notes/APINotes.md` (v1).
package enum SingaporeRows {
    package static let source = "data.gov.sg"

    private struct Family {
        let quantity: String
        let unit: String
    }

    /// Families by their name in `readings`; an index has no unit.
    private static let families: [String: Family] = [
        "pm25_one_hourly": Family(quantity: "pm25", unit: "µg/m³"),
        "pm25_twenty_four_hourly": Family(quantity: "pm25-24h", unit: "µg/m³"),
        "pm10_twenty_four_hourly": Family(quantity: "pm10-24h", unit: "µg/m³"),
        "so2_twenty_four_hourly": Family(quantity: "so2-24h", unit: "µg/m³"),
        "no2_one_hour_max": Family(quantity: "no2-1h-max", unit: "µg/m³"),
        "o3_eight_hour_max": Family(quantity: "o3-8h-max", unit: "µg/m³"),
        "co_eight_hour_max": Family(quantity: "co-8h-max", unit: "mg/m³"),
        "psi_twenty_four_hourly": Family(quantity: "psi-24h", unit: ""),
        "psi_three_hourly": Family(quantity: "psi-3h", unit: ""),
        "o3_sub_index": Family(quantity: "o3-index", unit: ""),
        "pm10_sub_index": Family(quantity: "pm10-index", unit: ""),
        "pm25_sub_index": Family(quantity: "pm25-index", unit: ""),
        "co_sub_index": Family(quantity: "co-index", unit: ""),
        "so2_sub_index": Family(quantity: "so2-index", unit: ""),
    ]

    /// Regions of each publication; only the PSI has `national`.
    private static let regions: Set = ["central", "east", "north", "south", "west"]

    /// - Throws: `FeedFault` when the whole body says nothing; a wrong item is an omission.
    package static func decode(_ bytes: [UInt8]) throws(FeedFault) -> FeedRows {
        let body = try FeedBody(bytes)
        let content = try content(of: body)
        var result = FeedRows()
        result.goOn(at: content.member("paginationToken")?.text)
        for item in try content.required("items").elements() { append(item, into: &result) }
        result.places = places(of: content)
        return result
    }

    /// Returns the middle of each region; a damaged one is omitted, and its values count.
    private static func places(of content: FeedBody) -> [FeedLocation] {
        let list = content.member("regionMetadata") ?? content.member("region_metadata")
        guard let regions = list?.items else { return [] }
        return regions.prefix(FeedRows.placesMax).compactMap { region in
            let point = region.member("labelLocation") ?? region.member("label_location")
            guard let name = region.member("name")?.text?.lowercased() else { return nil }
            return FeedLocation(
                series: name,
                name: name,
                latitude: point?.member("latitude")?.number,
                longitude: point?.member("longitude")?.number
            )
        }
    }

    /// Returns the object that has `items`: the body in v1, its `data` in v2.
    private static func content(of body: FeedBody) throws(FeedFault) -> FeedBody {
        guard let code = body.member("code") else {
            return body.member("data") ?? body
        }
        let words =
            body.member("errorMsg")?.text ?? body.member("name")?.text ?? "code \(code.shown)"
        if code.number == 24 { throw .busy(words) }
        guard code.number == 0 else { throw .refused("code \(code.shown): \(words)") }
        return try body.required("data")
    }

    private static func append(_ item: FeedBody, into result: inout FeedRows) {
        // The service sends `items: [{}]` when nothing was measured.
        guard item.members?.isEmpty != true else { return }
        guard let stamp = item.member("timestamp") else {
            return result.omit(item.place, "has no timestamp")
        }
        guard let time = stamp.text.flatMap({ WallTime(iso8601: $0) }) else {
            return result.omit(stamp.place, "\(stamp.shown) is no time")
        }
        guard let readings = item.member("readings") else {
            return result.omit(item.place, "has no readings")
        }
        guard let families = readings.members else {
            return result.omit(readings.place, "is no object")
        }
        for (name, values) in families { append(values, of: name, at: time, into: &result) }
    }

    private static func append(
        _ values: FeedBody,
        of name: String,
        at time: WallTime,
        into result: inout FeedRows
    ) {
        guard let family = families[name] else {
            return result.omit(values.place, "is of no known kind")
        }
        guard let members = values.members else {
            return result.omit(values.place, "is no object of regions")
        }
        var seen: Set<String> = []
        for (key, value) in members {
            let region = key.lowercased()
            guard regions.contains(region) || region == "national" else {
                result.omit(value.place, "is no known region")
                continue
            }
            guard seen.insert(region).inserted else {
                result.omit(value.place, "names a region a second time")
                continue
            }
            if value.value != .null, value.number == nil {
                result.omit(value.place, "\(value.shown) is no number")
            }
            result.rows.append(row(region, family, time, value.number.flatMap(measured)))
        }
        for region in regions.subtracting(seen).sorted() {
            result.rows.append(row(region, family, time, nil))
        }
    }

    /// Returns a value; nil for a negative number, which means that there is none.
    private static func measured(_ number: Double) -> Double? { number >= 0 ? number : nil }

    private static func row(
        _ region: String,
        _ family: Family,
        _ time: WallTime,
        _ value: Double?
    ) -> ImportRow {
        ImportRow(
            source: source,
            series: region + "/" + family.quantity,
            unit: family.unit,
            time: time.iso8601,
            value: value
        )
    }
}
