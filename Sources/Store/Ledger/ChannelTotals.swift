import Core

/// The sums of one channel and the stretch that is still growing.
struct ChannelTotals: Sendable {
    /// Closed stretches that were not read; at the bound the oldest are dropped, their sums stay.
    static let closedMax = 1_024

    /// Time and number of the gaps of one cause.
    struct Sum: Hashable, Sendable {
        var tenths: Int64 = 0
        var count = 0
    }

    let channel: Int
    private(set) var covered: Int64 = 0
    private(set) var gaps: [GapCause: Sum] = [:]
    private(set) var values = 0
    private(set) var withoutValue = 0
    var lost = 0
    private var open: GapLedger.Stretch?
    private var closed: [GapLedger.Stretch] = []

    init(_ channel: Int) { self.channel = channel }

    mutating func count(_ outcome: Outcome, times: Int = 1) {
        if outcome.value != nil { values += times } else { withoutValue += times }
    }

    /// Adds a stretch that begins where the last one ended.
    mutating func enter(_ range: Range<Int64>, _ cause: GapCause?) {
        let length = range.upperBound - range.lowerBound
        let isSame = open.map { $0.cause == cause && $0.range.upperBound == range.lowerBound }
        if let cause {
            gaps[cause, default: Sum()].tenths += length
            if isSame != true { gaps[cause, default: Sum()].count += 1 }
        } else {
            covered += length
        }
        if isSame == true, let start = open?.range.lowerBound {
            open?.range = start..<range.upperBound
        } else {
            close()
            open = GapLedger.Stretch(channel: channel, range: range, cause: cause)
        }
    }

    mutating func close() {
        guard let open else { return }
        if closed.count >= Self.closedMax { closed.removeFirst(Self.closedMax / 2) }
        closed.append(open)
        self.open = nil
    }

    mutating func takeClosed() -> [GapLedger.Stretch] {
        defer { closed.removeAll(keepingCapacity: true) }
        return closed
    }
}
