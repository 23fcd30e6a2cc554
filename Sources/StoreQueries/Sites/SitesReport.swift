import ControlProtocol
import Core

/// The report of `roost sites`: the station's place, and measurements of others around it.
package struct SitesReport: Codable, Hashable, Sendable {
    package struct Value: Codable, Hashable, Sendable {
        package let channel: String
        package let quantity: String
        /// Unit of the value; nil for an index.
        package let unit: String?
        package let decimals: Int
        /// The newest of the window; nil where the source had none.
        package let value: Double?
        package let time: String?
        /// Whether a trusted clock stands behind the time.
        package let isSure: Bool?
        package let mean: Double?
        package let sampleCount: Int
        package let correctionCount: Int

        init(_ entry: SiteTable.Entry) {
            channel = entry.channel
            (quantity, decimals) = (entry.quantity, entry.decimals)
            unit = entry.unit.isEmpty ? nil : entry.unit
            (value, time) = (entry.value?.doubleValue, entry.time?.iso8601)
            // The source dates what it publishes.
            isSure = time == nil ? nil : true
            mean = entry.mean.map { SitesReport.rounded($0, entry.decimals + 1) }
            (sampleCount, correctionCount) = (entry.count, entry.correctionCount)
        }
    }

    package struct Site: Codable, Hashable, Sendable {
        package let kind: SiteKind
        package let source: String
        package let name: String
        package let latitude: Double?
        package let longitude: Double?
        package let values: [Value]

        init(_ site: SiteTable.Site) {
            (kind, source, name) = (site.kind, site.source, site.name)
            (latitude, longitude) = (site.place?.latitude, site.place?.longitude)
            values = site.entries.map(Value.init)
        }
    }

    /// Name of the station; nil while it does not answer.
    package let station: String?
    package let latitude: Double?
    package let longitude: Double?
    package let from: DatedTime?
    package let to: DatedTime?
    package let items: [Site]

    /// - Parameters:
    ///   - kinds: Of which sites; the station's own place is in a report of all kinds alone.
    ///   - station: Knows where it stands; nil while it does not answer.
    package init(
        _ table: SiteTable,
        _ kinds: Set<SiteKind>,
        _ range: TimeRange,
        _ station: StatusReport?
    ) {
        let own = kinds == Set(SiteKind.allCases) ? station : nil
        self.station = own?.name
        (latitude, longitude) = (own?.position?.latitude, own?.position?.longitude)
        (from, to) = (DatedTime(asked: range.from), DatedTime(asked: range.to))
        items = table.sites.filter { kinds.contains($0.kind) }.map(Site.init)
    }

    static func rounded(_ value: Double, _ decimals: Int) -> Double {
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        return (value * scale).rounded() / scale
    }
}

/// The report of `roost sites clusters`.
package struct ClustersReport: Codable, Hashable, Sendable {
    package struct Cluster: Codable, Hashable, Sendable {
        package let latitude: Double
        package let longitude: Double
        package let sampleCount: Int
        package let mean: Double
        package let least: Double
        package let most: Double
        package let radiusMeters: Double

        init(_ cluster: PlaceCluster, _ decimals: Int) {
            latitude = SitesReport.rounded(cluster.latitude, 6)
            longitude = SitesReport.rounded(cluster.longitude, 6)
            sampleCount = cluster.count
            mean = SitesReport.rounded(cluster.mean, decimals + 1)
            least = SitesReport.rounded(cluster.minimum, decimals)
            most = SitesReport.rounded(cluster.maximum, decimals)
            radiusMeters = cluster.radius.rounded()
        }
    }

    package let quantity: String
    /// Unit of the values; nil for an index.
    package let unit: String?
    package let decimals: Int
    package let from: DatedTime?
    package let to: DatedTime?
    package let sampleCount: Int
    package let withoutPlaceCount: Int
    package let privateCount: Int
    package let otherUnitCount: Int
    package let omittedCount: Int
    package let items: [Cluster]

    package init(_ table: ClusterTable, _ quantity: String, _ range: TimeRange) {
        self.quantity = quantity
        unit = table.unit.isEmpty ? nil : table.unit
        decimals = table.decimals
        (from, to) = (DatedTime(asked: range.from), DatedTime(asked: range.to))
        (sampleCount, withoutPlaceCount) = (table.count, table.placelessCount)
        (privateCount, omittedCount) = (table.privateCount, table.omittedCount)
        otherUnitCount = table.otherUnitCount
        items = table.clusters.map { Cluster($0, table.decimals) }
    }
}

extension DatedTime {
    /// An end of a window, as it was asked for.
    fileprivate init?(asked wall: WallTime?) {
        guard let wall else { return nil }
        self.init(time: wall.iso8601, isSure: true)
    }
}
