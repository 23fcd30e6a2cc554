import TestSupport
import Testing

@testable import Fuzzing
@testable import Profiles

@Suite struct ProfileFuzzTests {
    /// A small choice of what `roost-lab fuzz profiles` plays.
    @Test func noSpoiltFileCrashesOrIsTakenInPart() throws {
        let fuzz = ProfileFuzz()
        for seed in FuzzKind.profiles.seeds(Exhaustive.spoiltProfiles) {
            let fault = try fuzz.fault(seed: seed)
            #expect(fault == nil, "roost-lab fuzz profiles --seed \(seed) --count 1")
            guard fault == nil else { return }
        }
        #expect(fuzz.takenCount > 0 && fuzz.takenCount < Exhaustive.spoiltProfiles)
    }

    @Test func theOthersLoadWhateverLiesBesideThem() throws {
        let original = Array(ProfileSample.text.utf8)
        let shipped = ProfileCatalog()
        var mutator = ProfileMutator(seed: 11)
        for _ in 0..<40 {
            let bytes = mutator.mutate(original)
            let file = ProfileFile(path: ProfileSample.file, bytes: bytes)
            let catalog = ProfileCatalog(overlay: [file])
            #expect(catalog.profiles.filter { $0.id != "my-meter" } == shipped.profiles)
            #expect((catalog.profile("my-meter") == nil) == (catalog.problems.count == 1))
        }
    }
}
