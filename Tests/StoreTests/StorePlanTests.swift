import Core
import Testing

@testable import Store

@Suite struct StorePlanTests {
    @Test func daysAreHeldAsAsked() {
        for days in [30, 100, 365, 3_650] {
            let plan = StorePlan(.days(days))
            #expect(StoreFigures(plan).rawDays >= Double(days))
            #expect(StoreFigures(plan).rawDays <= Double(days) * 1.05 + 20)
        }
    }

    @Test func aSizeOutOfRangeIsBroughtIntoIt() {
        #expect(StorePlan(.megabytes(0)).megabytes == 4)
        #expect(StorePlan(.megabytes(.max)).megabytes == 65_536)
        #expect(StorePlan(.days(.max)).megabytes == 65_536)
        #expect(StorePlan(.days(-1)).megabytes == 4)
    }

    @Test func theRingsFitTheFile() {
        for megabytes in [4, 5, 17, 64, 1_000] {
            let plan = StorePlan(.megabytes(megabytes))
            let pages = HistoryRing.allCases.map { plan.slotCount(of: $0) / $0.slotsPerPage }
            let all = pages.reduce(0, +) + HistorySchema.fixedPageCount
            #expect(all * HistorySchema.pageSize <= megabytes << 20)
        }
    }

    @Test func coarserTiersReachFurtherBack() {
        let figures = StoreFigures(StorePlan(.megabytes(64)))
        #expect(figures.quarterHourDays > figures.minuteDays)
        #expect(figures.sixHourDays > 20 * 365)
    }

    @Test func aPartitionAndALongerWindowSpareTheCard() {
        var plan = StorePlan(.megabytes(64))
        let onFile = StoreFigures(plan)
        plan.journal.medium = .partition
        let onPartition = StoreFigures(plan)
        plan.journal.lossWindow = .seconds(3_600)
        let longer = StoreFigures(plan)
        #expect(onFile.bytesPerDay > onPartition.bytesPerDay)
        #expect(onPartition.bytesPerDay > longer.bytesPerDay)
        #expect(onFile.cardYears < onPartition.cardYears)
        #expect(onPartition.cardYears < longer.cardYears)
        #expect(onFile.bytesPerSample < 35)
        #expect(onPartition.bytesPerSample < 15)
    }

    @Test func yearsFollowFromTheModel() {
        var flash = FlashModel()
        (flash.cardBytes, flash.enduranceCycles, flash.amplification) = (400 * 4_194_304, 1_000, 1)
        // 256 pages of 16 KiB are one block: 400 000 erases, one a day.
        #expect(flash.years(pagesPerDay: 256) == 400_000 / 365.25)
        #expect(flash.years(pagesPerDay: 0) == .infinity)
    }

    /// A week at 1 Hz and a month at 300 s without events, the history taking every six hours;
    /// `scripts/bench wear`.
    @Test(arguments: [
        Measured(1, onPartition: false, bytes: 2_920_000, requests: 605),
        Measured(1, onPartition: true, bytes: 628_000, requests: 186),
        Measured(300, onPartition: false, bytes: 1_861_000, requests: 401),
        Measured(300, onPartition: true, bytes: 345_000, requests: 123),
    ])
    func saysWhatReachedTheCardWithinAFifth(_ measured: Measured) {
        let figures = StoreFigures(measured.plan)
        #expect((0.8...1.2).contains(figures.bytesPerDay / measured.bytesPerDay))
        #expect((0.8...1.2).contains(figures.requestsPerDay / measured.requestsPerDay))
    }

    struct Measured {
        let plan: StorePlan
        let bytesPerDay: Double
        let requestsPerDay: Double

        init(_ seconds: Int, onPartition: Bool, bytes: Double, requests: Double) {
            let stream = StoreLoad.Stream(channelCount: 2, interval: .seconds(seconds))
            var journal = JournalPlan()
            journal.medium = onPartition ? .partition : .ext4
            journal.checkpointInterval = .hours(6)
            plan = StorePlan(load: StoreLoad(streams: [stream], eventsPerDay: 0), journal: journal)
            (bytesPerDay, requestsPerDay) = (bytes, requests)
        }
    }
}
