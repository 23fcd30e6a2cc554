import Glibc

/// A direction from the middle of the Earth, of length 1: places near a pole and beside the
/// 180th meridian are then like all others.
struct Direction: Hashable, Sendable {
    var x = 0.0
    var y = 0.0
    var z = 0.0

    init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }

    init(_ value: PlacedValue) {
        let (latitude, longitude) = (value.latitude * .pi / 180, value.longitude * .pi / 180)
        let ring = cos(latitude)
        self.init(x: ring * cos(longitude), y: ring * sin(longitude), z: sin(latitude))
    }

    /// As long as the chord between both; of 200 m the arc is 1 nm longer.
    func distance(to other: Direction) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return (dx * dx + dy * dy + dz * dz).squareRoot()
    }

    static func + (left: Direction, right: Direction) -> Direction {
        Direction(x: left.x + right.x, y: left.y + right.y, z: left.z + right.z)
    }

    /// The same direction with length 1.
    var normalised: Direction {
        let length = (x * x + y * y + z * z).squareRoot()
        return Direction(x: x / length, y: y / length, z: z / length)
    }
}

/// A cube of a grid whose edge is the reach or more: what is in reach is in a cube beside it.
struct GridCube: Hashable, Sendable {
    /// Three indices of 21 bits.
    private let number: Int

    private static let bits = 21
    /// Cubes from the middle of the Earth to its surface are fewer than this.
    private static let middle = 1 << 20

    private init(number: Int) { self.number = number }

    init(_ place: Direction, edge: Double) {
        func index(_ value: Double) -> Int { Int((value / edge).rounded(.down)) + Self.middle }
        number = (index(place.x) << Self.bits | index(place.y)) << Self.bits | index(place.z)
    }

    /// Calls `body` with itself and the 26 around it.
    func eachAround(_ body: (GridCube) -> Void) {
        for x in -1...1 {
            for y in -1...1 {
                for z in -1...1 {
                    body(GridCube(number: number + (x << Self.bits + y) << Self.bits + z))
                }
            }
        }
    }
}

/// Sorted measurements and the groups they are in; distances are in radii of the Earth.
struct PlaceGrouping {
    struct Group {
        /// Sorted: indices of the sorted measurements.
        var members: [Int32]
        /// The sum of their directions, which is longer than 1.
        var sum: Direction
        var centre: Direction { sum.normalised }
    }

    /// By sorted measurement: its index as given.
    let order: [Int]
    private let values: [Double]
    private let places: [Direction]
    private let reach: Double
    private(set) var groups: [Group] = []

    init(_ given: [PlacedValue], reach: Double) {
        self.reach = reach
        order = given.indices.sorted { left, right in
            let (a, b) = (given[left], given[right])
            return (a.latitude, a.longitude, a.value, left) < (
                b.latitude, b.longitude, b.value, right
            )
        }
        values = order.map { given[$0].value }
        places = order.map { Direction(given[$0]) }
    }

    func value(of member: Int32) -> Double { values[Int(member)] }

    func distance(_ member: Int32, _ centre: Direction) -> Double {
        places[Int(member)].distance(to: centre)
    }

    private func group(_ members: [Int32]) -> Group {
        var sum = Direction(x: 0, y: 0, z: 0)
        for member in members { sum = sum + places[Int(member)] }
        return Group(members: members, sum: sum)
    }

    // MARK: First step

    /// Takes all measurements into groups.
    mutating func seed(stepMax: Int) {
        var free: [GridCube: [Int32]] = [:]
        for index in places.indices {
            free[GridCube(places[index], edge: reach), default: []].append(Int32(index))
        }
        var isTaken = Array(repeating: false, count: places.count)
        for first in places.indices {
            while !isTaken[first] {
                let members = settle(at: places[first], free, stepMax)
                for member in members { isTaken[Int(member)] = true }
                for cube in Set(members.map { GridCube(places[Int($0)], edge: reach) }) {
                    free[cube]?.removeAll { isTaken[Int($0)] }
                }
                groups.append(group(members))
            }
        }
    }

    /// The free measurements around a place, once that place is their mean.
    ///
    /// - Returns: At least one.
    private func settle(
        at start: Direction,
        _ free: [GridCube: [Int32]],
        _ stepMax: Int
    ) -> [Int32] {
        var members = inReach(of: start, free)
        for _ in 0..<stepMax {
            let next = inReach(of: group(members).centre, free)
            if next == members || next.isEmpty { break }
            members = next
        }
        // What is too far from the mean goes. The mean square of distances is least from the mean,
        // so that one at least is as near to it as all were to the place before: one is left.
        while true {
            let centre = group(members).centre
            let near = members.filter { distance($0, centre) <= reach }
            if near.count == members.count || near.isEmpty { return members }
            members = near
        }
    }

    private func inReach(of centre: Direction, _ free: [GridCube: [Int32]]) -> [Int32] {
        var found: [Int32] = []
        GridCube(centre, edge: reach).eachAround { cube in
            guard let here = free[cube] else { return }
            for member in here where distance(member, centre) <= reach { found.append(member) }
        }
        return found.sorted()
    }

    // MARK: Second step

    private struct Pair {
        let distance: Double
        let first: Int
        let second: Int
    }

    /// Joins groups, nearest first, until no two may be one.
    mutating func join() {
        var isChanged = true
        while isChanged {
            isChanged = false
            // Sorted by place, so that indices do not depend on what was joined before.
            groups.sort { left, right in
                (left.centre.z, left.centre.y, left.centre.x, left.members[0])
                    < (right.centre.z, right.centre.y, right.centre.x, right.members[0])
            }
            var isGone = Set<Int>()
            for pair in pairs() where !isGone.contains(pair.first) && !isGone.contains(pair.second)
            {
                let members = (groups[pair.first].members + groups[pair.second].members).sorted()
                let joined = group(members)
                let centre = joined.centre
                guard members.allSatisfy({ distance($0, centre) <= reach }) else { continue }
                isGone.formUnion([pair.first, pair.second])
                groups.append(joined)
                isChanged = true
            }
            groups = groups.indices.filter { !isGone.contains($0) }.map { groups[$0] }
        }
    }

    /// Groups whose centres are at most two reaches apart, nearest first.
    private func pairs() -> [Pair] {
        let centres = groups.map(\.centre)
        var cubes: [GridCube: [Int]] = [:]
        for (index, centre) in centres.enumerated() {
            cubes[GridCube(centre, edge: 2 * reach), default: []].append(index)
        }
        var found: [Pair] = []
        for (first, centre) in centres.enumerated() {
            GridCube(centre, edge: 2 * reach).eachAround { cube in
                for second in cubes[cube] ?? [] where second > first {
                    let distance = centre.distance(to: centres[second])
                    guard distance <= 2 * reach else { continue }
                    found.append(Pair(distance: distance, first: first, second: second))
                }
            }
        }
        return found.sorted {
            ($0.distance, $0.first, $0.second) < ($1.distance, $1.first, $1.second)
        }
    }
}
