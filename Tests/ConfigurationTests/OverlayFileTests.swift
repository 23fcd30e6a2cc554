import Profiles
import Testing

@testable import Configuration
@testable import HardwareIO
@testable import SimulationKit

@Suite struct OverlayFileTests {
    private static func overlay(_ zone: String) -> StationOverlay {
        StationOverlay(["zone": .string(zone)])
    }

    @Test func keepsWhatWasWrittenAndTheContentBeforeIt() throws {
        let folder = SimulatedFolder()
        let file = OverlayFile(folder)
        #expect(file.read() == OverlayFile.Stored())
        try file.replace(with: Self.overlay("A"))
        try file.replace(with: Self.overlay("B"))
        #expect(file.read() == OverlayFile.Stored(Self.overlay("B")))
        #expect(try folder.read(OverlayFile.last) == Self.overlay("A").text)
        #expect(folder.cutCount == SimulatedFolder.Unsynced.allCases.count, "all is on the card")
    }

    /// The power goes after each step, and each name and each content that was not synced may be
    /// lost.
    @Test func aPowerCutLeavesTheOldOrTheNewContent() throws {
        var (cuts, hadOld, hadNew) = (0, false, false)
        for steps in 0...7 {
            let folder = SimulatedFolder()
            let file = OverlayFile(folder)
            try file.replace(with: Self.overlay("zero"))
            try file.replace(with: Self.overlay("old"))
            folder.stop(after: steps)
            let isDone = (try? file.replace(with: Self.overlay("new"))) != nil
            for number in 0..<folder.cutCount {
                let after = OverlayFile(folder.afterCut(number))
                let stored = after.read()
                let isNew = stored.overlay == Self.overlay("new")
                #expect(stored.trouble == nil && (isNew || stored.overlay == Self.overlay("old")))
                #expect(isNew || !isDone, "what was answered is there")
                (hadOld, hadNew, cuts) = (hadOld || !isNew, hadNew || isNew, cuts + 1)
                try after.replace(with: Self.overlay("later"))
                #expect(after.read().overlay == Self.overlay("later"))
            }
        }
        #expect(hadOld && hadNew && cuts > 50)
    }

    @Test func aDamagedFileGivesWayToTheOneBeforeAndIsKept() throws {
        let folder = SimulatedFolder()
        let file = OverlayFile(folder)
        try file.replace(with: Self.overlay("A"))
        try file.replace(with: Self.overlay("B"))
        folder.put(Array("{\"zone\": \"".utf8), as: OverlayFile.name)
        let stored = file.read()
        #expect(stored.overlay == Self.overlay("A"))
        #expect(stored.trouble?.contains("settings.json: not JSON") == true)
        #expect(stored.trouble?.contains("those before the last change are used") == true)
        try file.setAside(for: stored.overlay)
        #expect(try folder.read(OverlayFile.damaged) == Array("{\"zone\": \"".utf8))
        #expect(file.read() == OverlayFile.Stored(Self.overlay("A")))
    }

    @Test func withoutAnyGoodFileItSaysSo() {
        let folder = SimulatedFolder()
        folder.put([0xFF], as: OverlayFile.name)
        let words = "the station runs without them"
        #expect(OverlayFile(folder).read().trouble?.hasSuffix(words) == true)
        folder.put([0xFF], as: OverlayFile.last)
        #expect(OverlayFile(folder).read().trouble?.hasSuffix(words) == true)
        #expect(OverlayFile(folder).read().overlay == StationOverlay())
    }

    @Test func aCardThatTakesNothingKeepsTheOldContent() throws {
        let folder = SimulatedFolder()
        let file = OverlayFile(folder)
        try file.replace(with: Self.overlay("A"))
        folder.refuse(with: .readOnly(path: "store"))
        #expect(throws: StorageError.readOnly(path: "store")) {
            try file.replace(with: Self.overlay("B"))
        }
        #expect(file.read().overlay == Self.overlay("A"))
    }
}
