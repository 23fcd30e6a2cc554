import Fuzzing
import TestSupport
import Testing

/// A small choice of what `roost-lab fuzz tables` plays.
@Suite struct PartitionFuzzTests {
    @Test func spoiltTablesAreRefusedOrPlannedFor() {
        let fuzz = TableFuzz()
        for seed in FuzzKind.tables.seeds(Exhaustive.spoiltTables) {
            let fault = fuzz.fault(seed: seed)
            #expect(fault == nil, "roost-lab fuzz tables --seed \(seed) --count 1")
        }
        #expect(fuzz.takenCount > 0)
    }
}
