import PowerCut
import SQLite
import Testing

@testable import PowerCutWorkloads

@Suite struct PowerCutTests {
    /// TRUNCATE and PERSIST sync the journal's end with FULL; DELETE syncs the folder with EXTRA
    /// only.
    @Test(arguments: [
        (JournalMode.truncate, SynchronousMode.full), (.persist, .full), (.delete, .extra),
        (.wal, .full),
    ])
    func findsNothingInSQLiteThatSyncs(mode: JournalMode, synchronous: SynchronousMode) throws {
        let numbers = NumbersInSQLite(mode: mode, synchronous: synchronous)
        let report = try powercut(workload: numbers.write, verify: numbers.verify)
        #expect(report.failures.isEmpty, "\(report.failures.map(\.description))")
        #expect(report.operationCount > 50)
        #expect(report.secondCutCount > 100)
        #expect(report.stateCount > report.operationCount + report.secondCutCount)
    }

    @Test(arguments: [
        (JournalMode.truncate, SynchronousMode.normal), (.delete, .full), (.wal, .normal),
        (.truncate, .off), (.memory, .full),
    ])
    func findsWhatSQLiteLosesWhenToldToHurry(
        mode: JournalMode,
        synchronous: SynchronousMode
    ) throws {
        let numbers = NumbersInSQLite(mode: mode, synchronous: synchronous)
        let report = try powercut(workload: numbers.write, verify: numbers.verify)
        #expect(!report.failures.isEmpty)
    }

    @Test func playsOneFailureAgain() throws {
        let numbers = NumbersInSQLite(mode: .truncate, synchronous: .off)
        var plan = PowerCutPlan(command: { "replay \($0)" })
        let failure = try #require(
            try powercut(plan, workload: numbers.write, verify: numbers.verify).failures.first {
                $0.played.contains("/")
            }
        )
        #expect(failure.command == "replay \(failure.played)")
        let only: PowerCutCase = try #require(PowerCutCase(failure.played))
        plan.only = only
        let again = try powercut(plan, workload: numbers.write, verify: numbers.verify)
        #expect(again.secondCutCount == 1)
        #expect(again.failures.contains { $0.played == failure.played })
    }

    @Test func findsAStoreThatAcknowledgesBeforeItSyncs() throws {
        let store = ToyStore(acknowledgesTooEarly: true)
        let report = try powercut(workload: store.write, verify: store.verify)
        #expect(report.failures.contains { $0.error is ToyStore.Lost })
    }

    @Test func findsNothingInAStoreThatSyncsFirst() throws {
        let store = ToyStore(acknowledgesTooEarly: false)
        var lines: [String] = []
        let plan = PowerCutPlan(models: CardModel.all(seeds: 0..<20))
        let report = try powercut(plan, workload: store.write, verify: store.verify) {
            lines.append($0.description)
        }
        #expect(report.failures.isEmpty, "\(report.failures.map(\.description))")
        #expect(report.stateCount >= 20)
        #expect(lines.count == 17)
        #expect(lines.first == "cut 0 of 16, 3 states, 10 equal ones left out, 0 failures")
    }

    @Test func writesAndReadsCases() {
        let texts = [
            "0:nothing", "123:torn-7/4:everything", "9:names/0:random-18446744073709551615",
        ]
        for text in texts { #expect(PowerCutCase(text)?.description == text) }
        for text in ["", "x", "1", "1:", "1:torn", "-1:names", "1:names-3", "1:names/x"] {
            #expect(PowerCutCase(text) == nil)
        }
        #expect(PowerCutCase("1:names/2:names/3:names") == nil)
    }

    @Test(arguments: [JournalMode.truncate, .delete, .wal])
    func findsNothingInSQLiteOnAFailingMedium(mode: JournalMode) throws {
        let numbers = NumbersInSQLite(mode: mode, synchronous: .full, count: 2)
        let report = try mediumFaults(workload: numbers.write, verify: numbers.verify)
        #expect(report.failures.isEmpty, "\(report.failures.map(\.description))")
        #expect(report.stateCount == report.operationCount * 6)
    }
}
