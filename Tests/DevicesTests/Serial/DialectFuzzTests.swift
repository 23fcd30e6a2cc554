import TestSupport
import Testing

@testable import Fuzzing

/// A small choice of what `roost-lab fuzz decoders` plays, of every dialect of the catalog.
@Suite struct DialectFuzzTests {
    @Test(arguments: DecoderFuzz.drivers)
    func survivesFuzzedStreams(driver: String) throws {
        let fuzz = try DecoderFuzz(driver: driver)
        for seed in FuzzKind.decoders.seeds(Exhaustive.fuzzedStreams) {
            let fault = fuzz.fault(seed: seed)
            #expect(fault == nil, "roost-lab fuzz decoders --seed \(seed) --count 1")
            guard fault == nil else { return }
        }
        #expect(fuzz.takenCount > 0)
    }
}
