import Glibc
import PowerCutWorkloads
import TestSupport
import Testing

/// A fixed choice of what `scripts/check states` plays.
@Suite struct StoreStatesTests {
    @Test func opensInTwoHundredStatesOfItsFolder() throws {
        var options = StoreStates.Options()
        options.root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        options.seed = 1
        let states = try StoreStates(options)
        for number in 0..<200 as Range<UInt64> {
            #expect(throws: Never.self, "state \(number)") { try states.play(number) }
        }
        #expect(states.damages.count >= 22)
        #expect(states.asideCount > 50)
    }

    @Test func keepsItsSizeThroughTwoMonths() throws {
        let folder = try TestFolder()
        var years = StoreYears(folder.path, intervalTenths: 3_000, megabytes: 4, seed: 1)
        var months: [StoreYears.Month] = []
        try years.run(months: 2) { months.append($0) }
        #expect(months.count == 2)
        #expect(months[0].byteCounts == months[1].byteCounts)
        #expect(months[0].byteCounts.keys.sorted() == ["history.db", "journal.ring"])
    }
}
