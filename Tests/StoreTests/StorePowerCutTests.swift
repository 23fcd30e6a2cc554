import PowerCut
import TestSupport
import Testing

@testable import PowerCutWorkloads

/// The whole store at some of the cuts; `scripts/check powercut --full` plays all of them.
@Suite struct StorePowerCutTests {
    @Test func keepsWhatItAcknowledgedWhereverThePowerEnds() throws {
        let store = try StoreWorkload(StoreScript(hours: Exhaustive.hoursOfCuts, seed: 1))
        let plan = PowerCutPlan(
            models: [.nothing, .everything, .random(seed: 1), .torn(seed: 1)],
            recoveryModels: [],
            stride: 41
        )
        let report = try powercut(plan, workload: store.write, verify: store.verify)
        #expect(report.failures.isEmpty, "\(report.failures.map(\.description))")
        #expect(report.operationCount > 50 * Exhaustive.hoursOfCuts)
        #expect(report.stateCount > 5 * Exhaustive.hoursOfCuts)
    }

    @Test func findsAStoreThatAcknowledgesBeforeItSyncs() throws {
        let store = try StoreWorkload(StoreScript(hours: 2, seed: 1), acknowledgesTooEarly: true)
        var plan = PowerCutPlan(models: [.nothing], recoveryModels: [], stride: 11)
        plan.failureCountMax = 1
        let report = try powercut(plan, workload: store.write, verify: store.verify)
        #expect(report.failures.first?.error is StoreWorkload.Wrong)
    }
}
