import Core
import FoundationEssentials
import HardwareIO
import Profiles
import Testing

@Suite struct ProfileFuzzTests {
    /// Wants `ROOST_PROFILE_FUZZ`, a number of profiles, for more than the usual 1 000, and
    /// `ROOST_PROFILE_SEED` to repeat others.
    @Test func noSpoiltFileCrashesOrIsTakenInPart() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["ROOST_PROFILE_FUZZ"].flatMap { Int($0) } ?? 1_000
        let seed = environment["ROOST_PROFILE_SEED"].flatMap { UInt64($0) } ?? 4
        let files = ShippedProfiles.files
        let reader = ProfileReader()
        var mutator = ProfileMutator(seed: seed)
        var takenCount = 0
        for round in 0..<count {
            let file = files[round % files.count]
            let original = try file.contents.get()
            let bytes =
                round % 2 == 0
                ? mutator.mutate(original)
                : Array(mutator.mutate(try JSONParser.parse(original)).text.utf8)
            let isSound: Bool
            do throws(ConfigurationError) {
                isSound = Self.isSound(try reader.read(bytes, file: file.path))
                takenCount += 1
            } catch { isSound = !error.problems.isEmpty && error.file == file.path }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(isSound, "round \(round) of ROOST_PROFILE_SEED=\(seed): \(text)")
            guard isSound else { return }
        }
        #expect(takenCount > 0 && takenCount < count)
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

    /// What holds for every profile, whoever made the file.
    private static func isSound(_ profile: Profile) -> Bool {
        let names = profile.channels.map(\.quantity.name)
        let hasDriver = profile.driver.map { ProfileReader.knownDrivers[$0] == profile.kind }
        return !profile.id.isEmpty && !profile.name.isEmpty && !profile.description.isEmpty
            && names.count <= ProfileReader.channelLimit && Set(names).count == names.count
            && profile.channels.allSatisfy { MeasureUnit.known.contains($0.quantity.unit) }
            && profile.matches.count <= ProfileReader.matchLimit
            && (profile.kind == .board) == (profile.board != nil)
            && (profile.kind == .usbSerial) == (profile.probe != nil)
            && (hasDriver ?? (profile.kind == .board))
            && profile.probe?.bauds.isEmpty != true
            && profile.duty.map { $0.warmUp + $0.window <= $0.period } != false
            && profile.board?.header.keys.allSatisfy((1...40).contains) != false
    }
}
