import Glibc

/// How much the exhaustive tests play: a small fixed choice of about a second each, or all of it.
///
/// `ROOST_EXHAUSTIVE=1` asks for all of it. Where the whole is a command of `roost-lab`, that is
/// the faster way; docs/developing/testing.md lists both. Every choice stands here.
package enum Exhaustive {
    package static let isWhole = getenv("ROOST_EXHAUSTIVE").map { String(cString: $0) } == "1"

    // MARK: Devices

    /// Streams for each decoder that are cut, flipped, doubled and mixed.
    package static let fuzzedStreams = choice(100, whole: 2_000)
    /// Places, besides the ends, at which the bytes of a decoder are cut in two.
    package static let cutsOfBytes = choice(300, whole: .max)

    package static let spoiltProfiles = choice(300, whole: 1_000)

    // MARK: Store

    /// Places of each kind that rot.
    package static let rottenPlaces = choice(4, whole: .max)
    /// Windows of ten minutes that a month has.
    package static let windowsOfMonth = choice(438, whole: 4_383)
    /// Hours of the script whose writes are cut.
    package static let hoursOfCuts = choice(2, whole: 6)
    /// Lives of a journal, each cut at every write and sync.
    package static let journals: UInt64 = choice(1, whole: 4)
    /// Blocks that the history has taken when the tail is read.
    package static let takenBlocks = choice(3, whole: .max)
    package static let merges: UInt64 = choice(5, whole: 20)

    // MARK: Station, courier, alerts, web

    /// Points at which a child is stopped, in each surroundings and by each way.
    package static let pointsOfChild = choice(2, whole: 40)
    package static let plugEvents: UInt64 = choice(40, whole: 250)
    package static let courierLives: UInt64 = choice(1, whole: 8)
    /// Processes of a courier in each of these lives.
    package static let courierStarts = choice(4, whole: 10)
    package static let outboxLives: UInt64 = choice(4, whole: 12)
    package static let backlog = choice(4_000, whole: 20_000)
    /// Days of dust under each set of rules.
    package static let daysOfAlerts = choice(30, whole: 365)
    /// Requests that no browser sends.
    package static let requests = choice(1_500, whole: 10_000)
    package static let decays = choice(40, whole: 200)

    // MARK: Lives

    /// Lives of a camera.
    package static let cameraLives: UInt64 = choice(8, whole: 40)
    /// Days of faults that are shrunk to a few.
    package static let daysToShrink = choice(1, whole: 2)
    /// Mistakes planted in a station that was put away for eleven months.
    package static let drawerBugs = choice(1, whole: 2)

    // MARK: Choosing

    private static func choice<Value>(_ small: Value, whole: Value) -> Value {
        isWhole ? whole : small
    }

    /// Returns so many elements of a list, evenly spread, with the first and the last.
    package static func some<Element>(_ count: Int, of all: [Element]) -> [Element] {
        guard count >= 2, count < all.count else { return count < all.count ? [all[0]] : all }
        return (0..<count).map { all[$0 * (all.count - 1) / (count - 1)] }
    }

    /// The whole list, or a player's part of it when it is dealt out to so many players.
    package static func dealt<Element>(
        _ all: [Element],
        to player: Int,
        of playerCount: Int
    ) -> [Element] {
        guard !isWhole else { return all }
        return all.indices.filter { $0 % playerCount == player % playerCount }.map { all[$0] }
    }
}
