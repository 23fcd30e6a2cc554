import Core

/// Reads what people have of Safecast: logs of bGeigies, and measurements as its API answers them.
///
/// A log's source is its counter, `bgeigie:204`; counts are left out until a whole minute has been
/// counted, and places without a fix. A measurement's source is the service's number of its device,
/// `safecast:52`, or `safecast:user-9` of a user without one.
///
/// - Source: `bidouilles/bGeigieNano`, README; `Safecast/safecastapi`, `measurements.json`.
struct ImportSafecastRows {
    /// Count rate of a measurement, which may be a mean.
    static let countRate = Quantity(name: "cpm", unit: "cpm", decimals: 2)
    static let doseRate = Quantity(name: "dose_rate", unit: "µSv/h", decimals: 4)
    /// Counts per minute that any tube can give.
    private static let rateMax: FixedPoint = 10_000_000
    /// Metres, from below any mine's floor to above any balloon.
    private static let altitudes: ClosedRange<FixedPoint> = -5_000...100_000
    /// How far a counter's clock may be ahead.
    private static let aheadMax: Int64 = 3_600_000_000_000

    /// The machine's clock at the import; nil accepts any time.
    var now: WallTime?

    /// Reads a line of a log.
    func read(line text: String) -> ImportStep {
        // Comments, and empty lines of logs that people edited.
        if text.hasPrefix("#") || text.allSatisfy(\.isWhitespace) { return .header }
        guard text.utf8.count <= BGeigieRecord.byteLimit else { return .bad(.damaged(.tooLong)) }
        do throws(BGeigieRecord.Flaw) {
            let record = try BGeigieRecord(ArraySlice(Array(text.utf8)))
            guard let wall = WallTime(iso8601: record.time) else {
                return .bad(.badTime(record.time))
            }
            guard !isAhead(wall) else { return .bad(.future(record.time)) }
            guard FixedPoint(Int64(record.rate), decimals: 0) <= Self.rateMax else {
                return .bad(.badValue("\(record.rate)"))
            }
            guard !record.hasFix || Self.altitudes.contains(record.altitude) else {
                return .bad(.badValue("\(record.altitude)"))
            }
            let source = "bgeigie:\(record.device)"
            let values = Self.values(record)
            // A line in which nothing is valid is a good one all the same.
            guard !values.isEmpty else { return .row(nil) }
            return .row(ImportedSample(source: source, wall: wall, values: values))
        } catch {
            return .bad(.flaw(error.rawValue))
        }
    }

    private func isAhead(_ wall: WallTime) -> Bool {
        now.map { wall.nanoseconds > $0.nanoseconds + Self.aheadMax } ?? false
    }

    private static func values(_ record: BGeigieRecord) -> [ImportedSample.Value] {
        var values: [ImportedSample.Value] = []
        if record.isCounting {
            values.append(.init(.countRate, FixedPoint(Int64(record.rate), decimals: 0)))
        }
        if record.hasFix {
            values.append(.init(.latitude, record.latitude.degrees))
            values.append(.init(.longitude, record.longitude.degrees))
            if let altitude = rounded(record.altitude, Quantity.altitude.decimals) {
                values.append(.init(.altitude, altitude))
            }
        }
        return values
    }

    /// Reads an object of JSON; nil for one that is no measurement and holds others.
    func read(_ members: [String: FlatJSON.Value]) -> ImportStep? {
        guard members["captured_at"] != nil || members["value"] != nil else { return nil }
        guard case .text(let time)? = members["captured_at"], let wall = WallTime(iso8601: time)
        else { return .bad(.badTime(Self.text(members["captured_at"]))) }
        guard !isAhead(wall) else { return .bad(.future(Self.text(members["captured_at"]))) }
        guard let number = Self.number(members["value"]), number >= 0, number <= Self.rateMax else {
            return .bad(.badValue(Self.text(members["value"])))
        }
        let quantity: Quantity
        switch Self.text(members["unit"]).lowercased() {
        case "cpm": quantity = Self.countRate
        case "usv", "µsv", "microsievert": quantity = Self.doseRate
        case let unit: return .bad(.unknownQuantity(unit))
        }
        guard let value = Self.rounded(number, quantity.decimals),
            let latitude = Self.degrees(members["latitude"], limit: 90),
            let longitude = Self.degrees(members["longitude"], limit: 180)
        else { return .bad(.badValue(Self.text(members["latitude"]))) }
        let device = Self.number(members["device_id"]).map { "\($0)" }
        let user = Self.number(members["user_id"]).map { "user-\($0)" }
        return .row(
            ImportedSample(
                source: "safecast:\(device ?? user ?? "unknown")",
                wall: wall,
                values: [
                    .init(quantity, value), .init(.latitude, latitude),
                    .init(.longitude, longitude),
                ]
            )
        )
    }

    private static func text(_ value: FlatJSON.Value?) -> String {
        switch value {
        case .text(let text), .word(let text): text
        case .list, nil: ""
        }
    }

    private static func number(_ value: FlatJSON.Value?) -> FixedPoint? {
        guard let value, value != .word("null") else { return nil }
        return FixedPoint(decimal: text(value))
    }

    private static func degrees(_ value: FlatJSON.Value?, limit: Int64) -> FixedPoint? {
        guard let number = number(value), let degrees = rounded(number, 7),
            degrees.mantissa.magnitude <= UInt64(limit) * 10_000_000
        else { return nil }
        return degrees
    }

    /// The value with so many decimals, halves away from zero; nil when it does not fit.
    static func rounded(_ value: FixedPoint, _ decimals: Int) -> FixedPoint? {
        if let exact = value.mantissa(atDecimals: decimals) {
            return FixedPoint(exact, decimals: decimals)
        }
        guard value.decimals > decimals else { return nil }
        let factor = (decimals..<value.decimals).reduce(Int64(1)) { factor, _ in factor * 10 }
        let (quotient, rest) = value.mantissa.quotientAndRemainder(dividingBy: factor)
        let step: Int64 = rest.magnitude * 2 >= factor.magnitude ? (rest < 0 ? -1 : 1) : 0
        return FixedPoint(quotient + step, decimals: decimals)
    }
}
