import ControlProtocol
import Core
import Profiles
import Store

/// Parser of ARPA Lombardia's values (`nicp-bhqi` and earlier years; rows of Socrata as JSON).
///
/// A series is sensor and quantity: `10273/pm10`. Times are solar time, UTC+1 in summer, too. A
/// value counts only with the state `VA`; −9999 means that there is none.
///
/// - Source: `dati.lombardia.it`, `nicp-bhqi`; `cran/ARPALData`.
enum ARPARows {
    static let source = "arpa-lombardia"

    /// Returns the rows of one answer.
    ///
    /// - Parameters:
    ///   - bytes: The body as it came, 2 MiB at most.
    ///   - sensors: Sensors of the registry by id; values of others are omissions.
    ///   - offset: How many rows were on the pages before.
    ///   - pageSize: Rows that were asked for: a full page is followed by another.
    /// - Returns: A row for each one of a wanted sensor, in the answer's order.
    /// - Throws: `FeedFault` when the whole body says nothing; a wrong row is an omission.
    static func decode(
        _ bytes: [UInt8],
        _ sensors: [String: ARPASensor],
        from offset: Int = 0,
        pageSize: Int = .max
    ) throws(FeedFault) -> FeedRows {
        var result = FeedRows()
        let rows = try SocrataRows.rows(of: FeedBody(bytes))
        for row in rows { append(row, sensors, into: &result) }
        if rows.count >= pageSize { result.goOn(at: "\(offset + rows.count)") }
        return result
    }

    private static func append(
        _ row: FeedBody,
        _ sensors: [String: ARPASensor],
        into result: inout FeedRows
    ) {
        guard let id = row.member("idsensore")?.text, SocrataRows.isID(id) else {
            return result.omit(row.place, "has no idsensore")
        }
        guard let sensor = sensors[id] else {
            return result.omit(row.place, "sensor \(id) is not asked for")
        }
        guard let date = row.member("data")?.text else {
            return result.omit(row.place, "has no data")
        }
        guard let time = WallTime(iso8601: date + "+01:00") else {
            return result.omit(row.place + "/data", "\(date.prefix(40)) is no local time")
        }
        let number = row.member("valore")?.number
        if number == nil, let found = row.member("valore") {
            result.omit(found.place, "\(found.shown) is no number")
        }
        let isValid = row.member("stato")?.text == "VA"
        result.rows.append(
            ImportRow(
                source: source,
                series: id + "/" + sensor.quantity,
                unit: sensor.unit,
                time: time.iso8601,
                value: number.flatMap { isValid && $0 >= 0 ? $0 : nil }
            )
        )
    }
}
