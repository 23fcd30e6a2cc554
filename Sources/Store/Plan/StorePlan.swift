import Core

/// How large a store is and how often it writes; what follows from that is plain arithmetic.
package struct StorePlan: Hashable, Sendable {
    /// The user's options.
    package enum Size: Hashable, Sendable {
        /// MiB of the history's file.
        case megabytes(Int)
        /// Days of raw samples.
        case days(Int)
    }

    /// Smallest and largest history: 4 MiB hold ten days at 1 Hz, 64 GiB is a large card.
    package static let megabytesRange = 4...65_536

    package let size: Size
    package var load: StoreLoad
    package var journal: JournalPlan
    package var flash: FlashModel
    /// Places for streams of an older file; nil: as many as its size gives.
    package var streamPlaces: Int?
    /// Slots and places of the history that is replaced; nil: as many as the size gives.
    var shape: Shape?

    /// A plan; a size out of range is brought into it.
    package init(
        _ size: Size = .megabytes(64),
        load: StoreLoad = StoreLoad(),
        journal: JournalPlan = JournalPlan(),
        flash: FlashModel = FlashModel()
    ) {
        self.size = size
        self.load = load
        self.journal = journal
        self.flash = flash
    }
}

/// The sampled devices.
package struct StoreLoad: Hashable, Sendable {
    package struct Stream: Hashable, Sendable {
        package let channelCount: Int
        /// Time between two samples.
        package let interval: Duration

        package init(channelCount: Int, interval: Duration) {
            precondition(channelCount > 0 && interval > .zero)
            self.channelCount = channelCount
            self.interval = interval
        }

        package var samplesPerDay: Double { 86_400 / interval.inSeconds }

        /// Bytes of one sample in a segment.
        ///
        /// At 1 Hz a pair of channels needs 0.75 B at most (docs/measurements); samples further
        /// apart differ by more: 5 bits a value more beyond a minute.
        var bytesPerSample: Double {
            let bits = 3 + 5 * min(1, interval.inSeconds / 60)
            return Double(channelCount) * bits / 8
        }

        /// Bytes of one bucket of one channel; measured by `RollupBlockTests`.
        func bytesPerDay(of tier: RollupTier) -> Double {
            let buckets = min(86_400 / Double(tier.seconds), samplesPerDay)
            return buckets * Double(channelCount) * Self.bytesPerBucket
        }

        static let bytesPerBucket = 8.5
    }

    package var streams: [Stream]
    package var eventsPerDay: Double
    /// Bytes of an event as it is stored.
    static let bytesPerEvent = 60.0

    /// Default: one SDS011, once a second.
    package init(
        streams: [Stream] = [Stream(channelCount: 2, interval: .seconds(1))],
        eventsPerDay: Double = 100
    ) {
        self.streams = streams
        self.eventsPerDay = eventsPerDay
    }

    /// Bytes a day that go into the slots of a ring.
    func bytesPerDay(into ring: HistoryRing) -> Double {
        func sum(_ of: (Stream) -> Double) -> Double { streams.map(of).reduce(0, +) }
        return switch ring {
        case .samples: sum { $0.samplesPerDay * $0.bytesPerSample }
        case .minutes: sum { $0.bytesPerDay(of: .minute) }
        case .quarterHours: sum { $0.bytesPerDay(of: .quarterHour) }
        case .sixHours: sum { $0.bytesPerDay(of: .sixHours) }
        case .events: eventsPerDay * Self.bytesPerEvent
        }
    }
}

/// How the journal writes.
package struct JournalPlan: Hashable, Sendable {
    /// Bytes of a block.
    package var blockSize = 4_096
    /// Time of data that a loss of power costs at most.
    package var lossWindow: Duration = .seconds(600)
    /// Time between two transactions of the history.
    package var checkpointInterval: Duration = .hours(24)
    /// The medium that the journal's blocks lie on.
    package var medium = JournalMedium.ext4

    package init() {}
}

/// A simple model of a card that maps whole erase blocks, as cheap ones do.
///
/// Every write request programs whole pages, and in the worst case a page costs `amplification`
/// pages until its block has been tidied up. Writing in more places than the card keeps open at
/// once costs a whole erase block for each; cards that map single pages last some times longer.
/// `Benchmarks/wear/flash.py` plays both kinds on recorded requests.
package struct FlashModel: Hashable, Sendable {
    /// Bytes that are programmed at once: 16 KiB.
    package var pageBytes = 16_384.0
    /// Bytes that are erased at once: 4 MiB.
    var eraseBlockBytes = 4.0 * 1_048_576
    /// Times that a block can be erased: 1 000 is cautious for TLC.
    package var enduranceCycles = 1_000.0
    /// Bytes of the card, over which the controller spreads wear: 16 GB.
    package var cardBytes = 16e9
    /// Bytes programmed for each byte that the pages need; merging logs that are full.
    var amplification = 2.0
    /// Erase blocks rewritten for each transaction of the history: it writes in more places than
    /// four logs serve; 2 to 5 were measured.
    var mergesPerTransaction = 5.0

    package init() {}

    /// Years until every block has been erased as often as it can be.
    package func years(pagesPerDay: Double, transactionsPerDay: Double = 0) -> Double {
        let written = pagesPerDay * pageBytes * amplification / eraseBlockBytes
        let erasesPerDay = written + transactionsPerDay * mergesPerTransaction
        let erases = (cardBytes / eraseBlockBytes).rounded(.down) * enduranceCycles
        return erasesPerDay > 0 ? erases / erasesPerDay / 365.25 : .infinity
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
    package var streamCount: Int {
        shape?.streamCount ?? streamPlaces ?? Self.streamCount(Double(megabytes))
    }

    private static func streamCount(_ megabytes: Double) -> Int {
        guard megabytes >= 8 else { return HistorySchema.streamCountMin }
        let places = min(megabytes, 1_024) * Double(HistorySchema.streamsPerMegabyte)
        return min(Int(places), HistorySchema.streamCountMax)
    }

    /// Slots of a ring.
    func slotCount(of ring: HistoryRing) -> Int {
        if let count = shape?.slotCounts[ring] { return count }
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
}

extension StorePlan {
    /// Slots and places of a history that is there.
    struct Shape: Hashable, Sendable {
        /// Places for streams.
        let streamCount: Int
        /// Slots of each ring.
        let slotCounts: [HistoryRing: Int]

        private static let streams = "places of streams"

        private static func slots(_ ring: HistoryRing) -> String { "slots of \(ring.table)" }

        /// The numbers by the names that they are written down under.
        var numbers: [(name: String, count: Int)] {
            [(Self.streams, streamCount)]
                + HistoryRing.allCases.map { (Self.slots($0), slotCounts[$0] ?? 0) }
        }

        /// Whether a file of so many pages can have them.
        func fits(_ pageCount: Int) -> Bool {
            let room = 1...max(1, 4 * pageCount)
            guard slotCounts.count == HistoryRing.allCases.count,
                slotCounts.values.allSatisfy(room.contains),
                (1...HistorySchema.streamCountMax).contains(streamCount)
            else { return false }
            let leaves = slotCounts.reduce(0) { $0 + $1.value / $1.key.slotsPerPage }
            // Above the leaves of a ring are index pages: one for each 227 to 512 of them.
            let most = leaves + leaves / 220 + HistorySchema.fixedPageCount(streams: streamCount)
            return (leaves...most).contains(pageCount)
        }
    }
}

extension StorePlan.Shape {
    /// Reads the numbers that were written down.
    init<Failure: Error>(_ number: (String) throws(Failure) -> Int) throws(Failure) {
        var counts: [HistoryRing: Int] = [:]
        for ring in HistoryRing.allCases { counts[ring] = try number(Self.slots(ring)) }
        self.init(streamCount: try number(Self.streams), slotCounts: counts)
    }
}

/// How the file's room is shared; samples and minutes get most, since they fill up fastest.
///
/// At 1 Hz the coarse tiers outlive the samples by far: 6 h buckets last for decades.
extension HistoryRing {
    /// Hundredths of the room left after the catalogue.
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
