import Readings

/// How the file's room is shared; samples and minutes take what is used fastest.
///
/// At 1 Hz the coarse tiers outlive the samples by far: 6 h buckets last for decades.
extension HistoryRing {
    /// In hundredths of what is left after the catalogue.
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
            let room = (all + Double(HistorySchema.fixedPageCount)) * 4_096 / 1_048_576
            wanted = room < 1e9 ? Int(room.rounded(.up)) : .max
        }
        return min(max(wanted, Self.megabytesRange.lowerBound), Self.megabytesRange.upperBound)
    }

    /// Bytes of the history's file, as near as can be said before it is made.
    package var byteCount: Int { megabytes << 20 }

    /// Slots of a ring.
    func slotCount(of ring: HistoryRing) -> Int {
        let pages = byteCount / HistorySchema.pageSize - HistorySchema.fixedPageCount
        return max(4, pages * ring.share / 100) * ring.slotsPerPage
    }

    /// Days that a ring holds at this load.
    func days(of ring: HistoryRing) -> Double {
        let perDay = load.bytesPerDay(into: ring)
        let room = Double(slotCount(of: ring) * ring.capacity)
        return perDay > 0 ? room / perDay : .infinity
    }

    /// What the plan comes to.
    package var figures: Figures {
        let blocks = 86_400 / journal.lossWindow.inSeconds
        let payload = load.bytesPerDay(into: .samples) + load.bytesPerDay(into: .events)
        let journalRequests = max(blocks, payload / Double(journal.blockSize))
        let fileSystem =
            journal.isOnPartition ? 0 : blocks * JournalPlan.fileSystemBytesPerSync
        let journalBytes = journalRequests * Double(journal.blockSize) + fileSystem
        let takes = 86_400 / journal.takeInterval.inSeconds
        let pages = pagesPerTake(takes)
        // Each page goes to the log with 24 bytes of its own, and from there into the file.
        let historyBytes = takes * pages * (2 * 4_096 + 24)
        let requests = journalRequests + (journal.isOnPartition ? 0 : blocks) + takes * pages * 2
        let pageBytes = flash.pageBytes
        let pagesPerDay = max(requests, (journalBytes + historyBytes) / pageBytes)
        return Figures(
            megabytes: megabytes,
            rawDays: days(of: .samples),
            minuteDays: days(of: .minutes),
            quarterHourDays: days(of: .quarterHours),
            sixHourDays: days(of: .sixHours),
            eventDays: days(of: .events),
            journalBytesPerDay: journalBytes,
            historyBytesPerDay: historyBytes,
            requestsPerDay: requests,
            samplesPerDay: load.streams.map(\.samplesPerDay).reduce(0, +),
            cardYears: flash.years(pagesPerDay: pagesPerDay)
        )
    }

    /// Pages that one transaction changes: what is added, one begun page for each chain's end, and
    /// the catalogue's two.
    private func pagesPerTake(_ takes: Double) -> Double {
        let added = HistoryRing.allCases.map { ring in
            let bytes = load.bytesPerDay(into: ring) / takes
            return bytes / Double(ring.capacity * ring.slotsPerPage)
        }
        let streams = Double(load.streams.count)
        let channels = Double(load.streams.map(\.channelCount).reduce(0, +))
        // Begun slots of the tiers share pages, four to one.
        let begun = streams + (channels * 3 / 4).rounded(.up) + 1
        return added.reduce(0, +) + begun + 2
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
