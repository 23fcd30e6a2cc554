import Core

/// How the file's room is shared; samples and minutes get most, since they fill up fastest.
///
/// At 1 Hz the coarse tiers outlive the samples by far: 6 h buckets last for decades.
extension HistoryRing {
    /// In hundredths of the room left after the catalogue.
    var share: Int {
        switch self {
        case .samples: 60
        case .minutes: 22
        case .quarterHours: 6
        case .sixHours: 4
        case .events: 8
        }
    }
}

extension StorePlan {
    /// MiB of the history's file, within `megabytesRange`.
    package var megabytes: Int {
        let wanted: Int
        switch size {
        case .megabytes(let megabytes): wanted = megabytes
        case .days(let days):
            let bytes = Double(max(days, 1)) * load.bytesPerDay(into: .samples)
            let pages = (bytes / Double(HistoryRing.samples.capacity)).rounded(.up)
            let all = pages * 100 / Double(HistoryRing.samples.share)
            func room(_ streams: Int) -> Double {
                let fixed = Double(HistorySchema.fixedPageCount(streams: streams))
                return (all + fixed) * 4_096 / 1_048_576
            }
            let least = room(HistorySchema.streamCountMin)
            wanted = least < 1e9 ? Int(room(Self.streamCount(least * 1.07)).rounded(.up)) : .max
        }
        return min(max(wanted, Self.megabytesRange.lowerBound), Self.megabytesRange.upperBound)
    }

    /// Bytes of the history's file, as near as can be computed before it is made.
    package var byteCount: Int { megabytes << 20 }

    /// Streams that the history has places for; one that is gone from the rings gives its back.
    package var streamCount: Int { streamPlaces ?? Self.streamCount(Double(megabytes)) }

    private static func streamCount(_ megabytes: Double) -> Int {
        guard megabytes >= 8 else { return HistorySchema.streamCountMin }
        let places = min(megabytes, 1_024) * Double(HistorySchema.streamsPerMegabyte)
        return min(Int(places), HistorySchema.streamCountMax)
    }

    /// Slots of a ring.
    func slotCount(of ring: HistoryRing) -> Int {
        let fixed = HistorySchema.fixedPageCount(streams: streamCount)
        let pages = byteCount / HistorySchema.pageSize - fixed
        return max(4, pages * ring.share / 100) * ring.slotsPerPage
    }

    /// Days that a ring holds at this load.
    func days(of ring: HistoryRing) -> Double {
        let perDay = load.bytesPerDay(into: ring)
        let room = Double(slotCount(of: ring) * ring.capacity)
        return perDay > 0 ? room / perDay : .infinity
    }

    /// The result of the plan.
    ///
    /// Held against `scripts/bench wear`, which measures the same at block level.
    package var figures: Figures {
        let journal = journalWriting
        let history = historyWriting
        let requests = journal.requests + history.requests
        // The journal's requests are shorter than a page each, the history's may be longer.
        let pages = requests + history.bytes / flash.pageBytes
        return Figures(
            megabytes: megabytes,
            rawDays: days(of: .samples),
            minuteDays: days(of: .minutes),
            quarterHourDays: days(of: .quarterHours),
            sixHourDays: days(of: .sixHours),
            eventDays: days(of: .events),
            journalBytesPerDay: journal.bytes,
            historyBytesPerDay: history.bytes,
            requestsPerDay: requests,
            samplesPerDay: load.streams.map(\.samplesPerDay).reduce(0, +),
            cardYears: flash.years(pagesPerDay: pages, transactionsPerDay: checkpointsPerDay)
        )
    }

    /// What reaches the card in a day.
    private struct Writing {
        var bytes: Double
        var requests: Double
    }

    private var checkpointsPerDay: Double { 86_400 / journal.checkpointInterval.inSeconds }

    /// Blocks, each only as long as its content.
    private var journalWriting: Writing {
        let interval = load.streams.map(\.interval.inSeconds).min() ?? 86_400
        // The sample that ends the window goes along, and the next one begins a window.
        let period = ((journal.lossWindow.inSeconds / interval).rounded(.down) + 1) * interval
        let payload = load.bytesPerDay(into: .samples) + load.bytesPerDay(into: .events)
        let room = Double(journal.blockSize - JournalBlockLayout.headerByteCount)
        let blocks = max(86_400 / period, payload / room)
        let sectors = ((payload / blocks + Double(JournalBlockLayout.headerByteCount)) / 512)
            .rounded(.up)
        let medium = journal.medium
        return Writing(
            bytes: blocks * (sectors * 512 + medium.bytesPerBlock),
            requests: blocks * (1 + medium.requestsPerBlock)
        )
    }

    /// Transactions: pages go to the log, and after some of them from there into the file.
    private var historyWriting: Writing {
        let added = addedPagesPerTake
        let begun = begunPagesPerTake
        // Log, then its index in shared memory (8 pages, of which 5 change) and ext4's own 4.
        let log = (added + begun) * (4_096 + 24) + 9 * 4_096
        let copies = (added + begun) / Double(History.checkpointFrameCount)
        let file = (added + begun * copies) * 4_096
        // Requests of a transaction: 1 for the log, 2 for its index, 3 of ext4; and for a copy one
        // for each place, 10. Counted with `scripts/bench wear`.
        return Writing(
            bytes: checkpointsPerDay * (log + file),
            requests: checkpointsPerDay * (6 + 10 * copies)
        )
    }

    /// Pages that one transaction fills.
    private var addedPagesPerTake: Double {
        HistoryRing.allCases.map { ring in
            let bytes = load.bytesPerDay(into: ring) / checkpointsPerDay
            return bytes / Double(ring.capacity * ring.slotsPerPage)
        }.reduce(0, +)
    }

    /// Pages that one transaction changes and does not fill: one for each chain's end, and the
    /// catalogue's two.
    private var begunPagesPerTake: Double {
        let streams = Double(load.streams.count)
        let channels = Double(load.streams.map(\.channelCount).reduce(0, +))
        // Begun slots of the tiers share pages, four to one.
        return streams + (channels * 3 / 4).rounded(.up) + 1 + 2
    }

    /// What `roost store plan` shows.
    package struct Figures: Hashable, Sendable {
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
    }
}
