import Glibc

/// Measurements that were made within 200 m of one place.
package struct PlaceCluster: Hashable, Sendable {
    /// Degrees, of the mean place of its measurements.
    package let latitude: Double
    package let longitude: Double
    /// How many measurements.
    package let count: Int
    /// In the unit of the quantity.
    package let mean: Double
    package let minimum: Double
    package let maximum: Double
    /// Metres from the centre to the measurement that is farthest from it, 0…200.
    package let radius: Double
}

/// Groups measurements by place: each is in exactly one cluster, and none is farther than 200 m
/// from the centre of its own.
///
/// The result depends on the measurements alone, not on their order: they are sorted first, and
/// each decision goes by places. Two steps. First a cluster begins at the first free measurement,
/// moves to the mean of those within reach until it stays, and takes them. Then clusters join,
/// nearest first, while all their measurements stay within reach of the common centre.
package struct PlaceClusters {
    /// Metres.
    package static let reach = 200.0
    /// Metres: the mean radius of the Earth by the IUGG, 6 371 008.8.
    private static let earth = 6_371_008.8
    /// A cluster that still moves after so many steps stays where it is.
    private static let stepMax = 16

    /// Largest first, then from south to north and from west to east.
    package let clusters: [PlaceCluster]
    /// By measurement as given: the index of its cluster.
    let assignment: [Int]

    /// Groups any number of measurements.
    package init(_ values: [PlacedValue]) {
        var grouping = PlaceGrouping(values, reach: Self.reach / Self.earth)
        grouping.seed(stepMax: Self.stepMax)
        grouping.join()
        let groups = grouping.groups.map { group in
            (Self.cluster(of: group, in: grouping), group.members)
        }
        .sorted { Self.isBefore($0.0, $1.0) }
        clusters = groups.map(\.0)
        var assignment = Array(repeating: 0, count: values.count)
        for (index, group) in groups.enumerated() {
            for member in group.1 { assignment[grouping.order[Int(member)]] = index }
        }
        self.assignment = assignment
    }

    private static func cluster(
        of group: PlaceGrouping.Group,
        in grouping: PlaceGrouping
    ) -> PlaceCluster {
        var (sum, least, most, far) = (0.0, Double.infinity, -Double.infinity, 0.0)
        for member in group.members {
            let value = grouping.value(of: member)
            sum += value
            least = min(least, value)
            most = max(most, value)
            far = max(far, grouping.distance(member, group.centre))
        }
        let centre = group.centre
        return PlaceCluster(
            latitude: asin(max(-1, min(1, centre.z))) * 180 / .pi,
            longitude: atan2(centre.y, centre.x) * 180 / .pi,
            count: group.members.count,
            mean: sum / Double(group.members.count),
            minimum: least,
            maximum: most,
            radius: min(far * earth, reach)
        )
    }

    private static func isBefore(_ left: PlaceCluster, _ right: PlaceCluster) -> Bool {
        guard left.count == right.count else { return left.count > right.count }
        return (left.latitude, left.longitude, left.mean)
            < (right.latitude, right.longitude, right.mean)
    }
}
