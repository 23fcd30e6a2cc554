import Glibc
import TestSupport
import Testing

@testable import PowerCutWorkloads

/// A fixed choice of what `scripts/check states` plays.
@Suite struct StoreStatesTests {
    /// Opens the states, of two hundred, with other damage than the ones before; else all.
    @Test func opensInEachDamagedStateOfItsFolder() throws {
        var options = StoreStates.Options()
        options.root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        options.seed = 1
        let states = try StoreStates(options)
        var seen: Set<StoreDamage?> = []
        var count = 0
        for number in 0..<200 as Range<UInt64> {
            let damages = states.damages(of: number).map(Optional.some)
            let isNew = !seen.isSuperset(of: damages.isEmpty ? [nil] : damages)
            guard isNew || Exhaustive.isWhole else { continue }
            seen.formUnion(damages.isEmpty ? [nil] : damages)
            count += 1
            #expect(throws: Never.self, "state \(number)") { try states.play(number) }
        }
        #expect(states.damages.count >= 22)
        #expect(states.asideCount > count / 4)
    }

    @Test func keepsItsSizeThroughTwoMonths() throws {
        let folder = try TestFolder(isInMemory: true)
        var years = StoreYears(folder.path, intervalTenths: 3_000, megabytes: 4, seed: 1)
        years.windowsPerMonth = Exhaustive.windowsOfMonth
        var months: [StoreYears.Month] = []
        try years.run(months: 2) { months.append($0) }
        #expect(months.count == 2)
        #expect(months[0].byteCounts == months[1].byteCounts)
        #expect(months[0].byteCounts.keys.sorted() == ["history.db", "journal.ring"])
    }
}
