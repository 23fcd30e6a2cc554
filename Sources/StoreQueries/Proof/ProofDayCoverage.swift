import Core
import Store

/// Time of each local day that the values of one channel cover.
///
/// As the ledger has it, a value speaks for the time before it. A piece is laid over its bucket, or
/// as far back from its end as its values cover; where that is on more than one day, each day has
/// its part. So a value that covers hours is off by a quarter of an hour at most.
struct ProofDayCoverage {
    /// Tenths on each day.
    private(set) var days: [Int64]

    private let bins: LocalBins
    private let clock: ClockAnchors
    /// Tenths from one value to the next where the values are those of files, which have no
    /// schedule; nil where the rollups say what values cover.
    private let interval: Int64?
    /// The end of the quarter hour before, where that was the last piece.
    private var before: Int64?
    private var began: (boot: BootID, wall: Int64)?

    /// - Parameter bins: At least one.
    init(_ bins: LocalBins, _ clock: ClockAnchors, interval: Int64? = nil) {
        (self.bins, self.clock, self.interval) = (bins, clock, interval)
        days = [Int64](repeating: 0, count: bins.bins.count)
    }

    /// Adds what values cover.
    ///
    /// - Returns: False where quarter hours are needed: nothing was added.
    mutating func add(_ piece: HistoryCoverage.Piece) -> Bool {
        guard let wall = clock.time(piece.boot, piece.from)?.wall.tenths else { return true }
        let (length, end) = (piece.tier.tenths, wall + piece.tier.tenths)
        var (covered, distance) = (piece.covered, piece.covered / max(1, piece.count))
        if let interval {
            let (product, overflow) = interval.multipliedReportingOverflow(by: piece.count)
            // As far back as the value before at most, where both are known to a quarter hour.
            let isFine = piece.tier == .quarterHour
            let free = isFine ? before.map { max(0, end - $0) + length } : nil
            covered = min(overflow ? .max : product, free ?? .max)
            distance = interval
        }
        (covered, distance) = (min(covered, Self.lengthMax), min(distance, Self.lengthMax))
        // No value covers time before its boot; what is before the first day is of the first.
        let least = max(start(of: piece.boot), Int64(bins.bins[0].from) * 10)
        let range = min(max(end - max(length, covered), least), end)..<end
        let second = Int(range.lowerBound).flooredDivision(by: 10).quotient
        guard covered > 0, let day = bins.place(of: second) else { return true }
        let reach = min(range.lowerBound, max(wall - distance, least))
        let isOnOneDay =
            reach >= Int64(bins.bins[day].from) * 10
            && end <= Int64(bins.bins[day].to) * 10
        guard isOnOneDay || piece.isFinest || isEven(piece) else { return false }
        before = piece.tier == .quarterHour ? end : nil
        lay(covered, over: range, from: day)
        return true
    }

    /// When a boot began; the time of its first tick.
    private mutating func start(of boot: BootID) -> Int64 {
        if let began, began.boot == boot { return began.wall }
        let wall = clock.time(boot, Tick(tenths: 0))?.wall.tenths ?? .min
        began = (boot, wall)
        return wall
    }

    /// Values of one piece cover a hundred days at most; more is damage.
    private static let lengthMax: Int64 = 86_400_000

    /// Whether values come often enough, and all along, that it does not matter where.
    private func isEven(_ piece: HistoryCoverage.Piece) -> Bool {
        let isOften = piece.count >= piece.tier.tenths / RollupTier.quarterHour.tenths
        return interval == nil && isOften && piece.covered >= piece.tier.tenths * 199 / 200
    }

    /// Leaves out time beyond the last day.
    private mutating func lay(_ covered: Int64, over range: Range<Int64>, from first: Int) {
        let length = Int64(range.count)
        var (day, done): (Int, Int64) = (first, 0)
        while day < days.count, Int64(bins.bins[day].from) * 10 < range.upperBound {
            let end = min(range.upperBound, Int64(bins.bins[day].to) * 10)
            let upTo = covered * (end - range.lowerBound) / length
            days[day] += upTo - done
            (done, day) = (upTo, day + 1)
        }
    }
}
