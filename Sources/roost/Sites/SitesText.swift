import ClientSupport
import Core
import StoreQueries

/// Reports about places as lines of text.
enum SitesText {
    private static let nameWidth = 14
    /// Clusters of one report, the largest; `--json` has all.
    private static let clustersMax = 50

    static func lines(_ report: SitesReport, _ kinds: Set<SiteKind>) -> [String] {
        var lines: [String] = []
        if kinds.count > 1, let name = report.station {
            let place = Self.place(report.latitude, report.longitude)
            lines.append("\(name) (this station)  " + (place ?? "position not set"))
        }
        for site in report.items {
            let place = Self.place(site.latitude, site.longitude).map { "  \($0)" } ?? ""
            lines.append("\(site.name) (\(text(site.kind)), \(site.source))\(place)")
            lines += site.values.map(line)
        }
        if report.items.isEmpty { lines.append(nothing(kinds)) }
        return lines
    }

    static func lines(_ report: ClustersReport) -> [String] {
        let unit = report.unit.map { " in \($0)" } ?? ""
        guard !report.items.isEmpty else {
            return ["\(report.quantity): no values with a place in this time"] + left(report)
        }
        var lines = [
            "\(report.quantity)\(unit): \(report.sampleCount) values at "
                + "\(report.items.count) places",
            "  place".column(26) + "mean".aligned(to: 9) + "values".aligned(to: 9)
                + "  least to most".column(20) + "radius",
        ]
        for item in report.items.prefix(clustersMax) {
            let range =
                number(item.least, report.decimals) + " to " + number(item.most, report.decimals)
            lines.append(
                ("  " + number(item.latitude, 5) + ", " + number(item.longitude, 5)).column(26)
                    + number(item.mean, report.decimals + 1).aligned(to: 9)
                    + "\(item.sampleCount)".aligned(to: 9) + "  " + range.column(18)
                    + number(item.radiusMeters, 0) + " m"
            )
        }
        let more = report.items.count - clustersMax
        if more > 0 { lines.append("  \(more) smaller ones are in --json") }
        return lines + left(report)
    }

    private static func left(_ report: ClustersReport) -> [String] {
        [
            report.withoutPlaceCount > 0
                ? "\(report.withoutPlaceCount) values without a place: no receiver had a fix, and "
                    + "no position is set (`roost settings set position 46.17,9.88`)" : nil,
            report.privateCount > 0
                ? "\(report.privateCount) values of surveys that are kept from uploads" : nil,
            report.otherUnitCount > 0
                ? "\(report.otherUnitCount) values in another unit than "
                    + "\(report.unit ?? "that of the others") left out" : nil,
            report.omittedCount > 0
                ? "\(report.omittedCount) older values left out: choose a shorter time" : nil,
        ]
        .compactMap(\.self)
    }

    private static func line(_ value: SitesReport.Value) -> String {
        let head = "  " + value.quantity.column(nameWidth)
        guard let newest = value.value else { return head + "missing" }
        let unit = value.unit.map { " \($0)" } ?? ""
        let words = number(newest, value.decimals) + unit
        let time = DatedTime(time: value.time, isSure: value.isSure).text
        let mean = value.mean.map { number($0, value.decimals + 1) } ?? "-"
        let corrected = value.correctionCount > 0 ? ", \(value.correctionCount) corrected" : ""
        return head + words.column(16) + time.column(27)
            + "mean \(mean) of \(value.sampleCount)\(corrected)"
    }

    private static func text(_ kind: SiteKind) -> String {
        switch kind {
        case .region: "region"
        case .reference: "reference station"
        case .peer: "other station"
        case .other: "import"
        }
    }

    private static func nothing(_ kinds: Set<SiteKind>) -> String {
        let feed =
            switch kinds {
            case [.region]: "a feed of type data.gov.sg"
            case [.reference]: "a feed of type arpa-lombardia"
            default: "a feed"
            }
        let what =
            switch kinds {
            case [.region]: "no region"
            case [.reference]: "no reference station"
            default: "nothing of others"
            }
        return "\(what) in this time; \(feed) in courier.json fetches values"
    }

    private static func place(_ latitude: Double?, _ longitude: Double?) -> String? {
        guard let latitude, let longitude else { return nil }
        return "\(latitude), \(longitude)"
    }

    private static func number(_ value: Double, _ decimals: Int) -> String {
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        guard abs(value) * scale < 1e18 else { return "many" }
        return FixedPoint(Int64((value * scale).rounded()), decimals: decimals).description
    }
}
