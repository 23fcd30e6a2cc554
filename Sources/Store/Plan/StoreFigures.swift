import Core

/// Figures of a plan: how long a history reaches back, and what it costs the card.
///
/// `roost store plan` shows it.
package struct StoreFigures: Hashable, Sendable {
    package let megabytes: Int
    /// Days that are held: samples, then buckets of each tier, then events.
    package let rawDays: Double
    package let minuteDays: Double
    package let quarterHourDays: Double
    package let sixHourDays: Double
    package let eventDays: Double
    package let journalBytesPerDay: Double
    package let historyBytesPerDay: Double
    /// Writes to the card.
    package let requestsPerDay: Double
    package let samplesPerDay: Double
    /// Under `FlashModel`.
    package let cardYears: Double

    package var bytesPerDay: Double { journalBytesPerDay + historyBytesPerDay }
    package var bytesPerSample: Double {
        samplesPerDay > 0 ? bytesPerDay / samplesPerDay : 0
    }

    /// The result of a plan.
    ///
    /// Held against `scripts/bench wear`, which measures the same at block level.
    package init(_ plan: StorePlan) {
        let writing = CardWriting(plan: plan)
        let (journal, history) = (writing.journal, writing.history)
        megabytes = plan.megabytes
        rawDays = plan.days(of: .samples)
        minuteDays = plan.days(of: .minutes)
        quarterHourDays = plan.days(of: .quarterHours)
        sixHourDays = plan.days(of: .sixHours)
        eventDays = plan.days(of: .events)
        journalBytesPerDay = journal.bytes
        historyBytesPerDay = history.bytes
        requestsPerDay = journal.requests + history.requests
        samplesPerDay = plan.load.streams.map(\.samplesPerDay).reduce(0, +)
        cardYears = plan.flash.years(
            // The journal's requests are shorter than a page each, the history's may be longer.
            pagesPerDay: requestsPerDay + history.bytes / plan.flash.pageBytes,
            transactionsPerDay: writing.checkpointsPerDay
        )
    }
}

/// Bytes and requests that reach the card in a day.
private struct CardWriting {
    let plan: StorePlan

    struct Part {
        var bytes: Double
        var requests: Double
    }

    var checkpointsPerDay: Double { 86_400 / plan.journal.checkpointInterval.inSeconds }

    /// Blocks, each only as long as its content.
    var journal: Part {
        let interval = plan.load.streams.map(\.interval.inSeconds).min() ?? 86_400
        // The sample that ends the window goes along, and the next one begins a window.
        let period = ((plan.journal.lossWindow.inSeconds / interval).rounded(.down) + 1) * interval
        let payload = plan.load.bytesPerDay(into: .samples) + plan.load.bytesPerDay(into: .events)
        let room = Double(plan.journal.blockSize - JournalBlockLayout.headerByteCount)
        let blocks = max(86_400 / period, payload / room)
        let sectors = ((payload / blocks + Double(JournalBlockLayout.headerByteCount)) / 512)
            .rounded(.up)
        let medium = plan.journal.medium
        return Part(
            bytes: blocks * (sectors * 512 + medium.bytesPerBlock),
            requests: blocks * (1 + medium.requestsPerBlock)
        )
    }

    /// Transactions: pages go to the log, and after some of them from there into the file.
    var history: Part {
        let added = addedPagesPerTake
        let begun = begunPagesPerTake
        // Log, then its index in shared memory (8 pages, of which 5 change) and ext4's own 4.
        let log = (added + begun) * (4_096 + 24) + 9 * 4_096
        let copies = (added + begun) / Double(History.checkpointFrameCount)
        let file = (added + begun * copies) * 4_096
        // Requests of a transaction: 1 for the log, 2 for its index, 3 of ext4; and for a copy one
        // for each place, 10. Counted with `scripts/bench wear`.
        return Part(
            bytes: checkpointsPerDay * (log + file),
            requests: checkpointsPerDay * (6 + 10 * copies)
        )
    }

    /// Pages that one transaction fills.
    private var addedPagesPerTake: Double {
        HistoryRing.allCases.map { ring in
            let bytes = plan.load.bytesPerDay(into: ring) / checkpointsPerDay
            return bytes / Double(ring.capacity * ring.slotsPerPage)
        }.reduce(0, +)
    }

    /// Pages that one transaction changes and does not fill: one for each chain's end, and the
    /// catalogue's two.
    private var begunPagesPerTake: Double {
        let streams = Double(plan.load.streams.count)
        let channels = Double(plan.load.streams.map(\.channelCount).reduce(0, +))
        // Begun slots of the tiers share pages, four to one.
        return streams + (channels * 3 / 4).rounded(.up) + 1 + 2
    }
}
