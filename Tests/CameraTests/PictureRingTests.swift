import Camera
import Core
import HardwareIO
import Testing

@testable import SimulationKit

@Suite struct PictureRingTests {
    private static func shape() throws -> PictureShape {
        try #require(PictureShape(megabytes: 1, count: 5))
    }

    private static func motion(_ second: Int64) -> SeenMotion {
        SeenMotion(
            source: "door",
            time: WallTime(nanoseconds: second * 1_000_000_000),
            instant: MonotonicInstant(nanoseconds: second)
        )
    }

    private static func picture(_ seed: Int, _ byteCount: Int = 9_000) -> [UInt8] {
        var random = SplitMix64(seed: UInt64(seed))
        return (0..<byteCount).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    private static func card() throws -> SimulatedBlockStorage {
        SimulatedBlockStorage(blockSize: 4_096, blockCount: try shape().blockCount)
    }

    @Test func theNewestTakesThePlaceOfTheOldest() throws {
        let card = try Self.card()
        let ring = try PictureRing(card, shape: Self.shape())
        for number in 1...12 { try ring.add(Self.picture(number), of: Self.motion(Int64(number))) }
        let found = try PictureRing(asFound: card)
        #expect(found.records.map(\.number) == [12, 11, 10, 9, 8])
        for record in found.records {
            #expect(try found.picture(record) == Self.picture(Int(record.number)))
        }
        #expect(found.records.first?.name == "1970-01-01T00-00-12Z-12.jpg")
    }

    @Test func aPictureOfEachSizeUpToTheRoomComesBack() throws {
        let card = try Self.card()
        let ring = try PictureRing(card, shape: Self.shape())
        for size in [1, 511, 512, 513, 4_095, 4_096, 4_097, ring.shape.pictureMax] {
            let record = try ring.add(Self.picture(size, size), of: Self.motion(1))
            #expect(try PictureRing(asFound: card).picture(record) == Self.picture(size, size))
        }
    }

    /// `é` has two bytes, and the limit of 63 lies in one.
    @Test func aLongNameOfASensorIsCutBetweenCharacters() throws {
        let card = try Self.card()
        let ring = try PictureRing(card, shape: Self.shape())
        let name = String(repeating: "é", count: 40)
        let motion = SeenMotion(source: name, time: nil, instant: MonotonicInstant(nanoseconds: 1))
        try ring.add(Self.picture(1), of: motion)
        let found = try #require(try PictureRing(asFound: card).records.first)
        #expect(found.source == String(repeating: "é", count: 31))
        #expect(found.name == "undated-1.jpg")
    }

    /// At every write and sync of one more picture into a full ring: each picture is whole or gone,
    /// only the oldest may be gone, and the ring goes on.
    @Test(arguments: [0, 1, 2]) func aPowerCutLeavesEachPictureWholeOrGone(kind: Int) throws {
        var cut = 0
        var isCut = true
        while isCut {
            let card = try Self.card()
            let ring = try PictureRing(card, shape: Self.shape())
            for number in 1...5 { try ring.add(Self.picture(number), of: Self.motion(1)) }
            card.faults.powerEndsAt = card.operationCount + cut
            isCut = (try? ring.add(Self.picture(6), of: Self.motion(6))) == nil
            let survival: SimulatedBlockStorage.Survival =
                switch kind {
                case 0: .nothing
                case 1: .someWrites(seed: UInt64(cut))
                default: .someSectors(seed: UInt64(cut))
                }
            let left = card.afterPowerCut(survival)
            let found = try PictureRing(left, shape: Self.shape())
            let whole = try found.records.filter {
                try found.picture($0) == Self.picture(Int($0.number))
            }
            #expect(whole == found.records)
            #expect(Set(whole.map(\.number)).isSuperset(of: [2, 3, 4, 5]))
            #expect(isCut || whole.map(\.number) == [6, 5, 4, 3, 2])
            try found.add(Self.picture(7), of: Self.motion(7))
            #expect(found.records.count >= 5)
            cut += 1
        }
        #expect(cut > 6)
    }

    @Test func whatIsDeletedIsNoLongerOnTheCard() throws {
        let card = try Self.card()
        let ring = try PictureRing(card, shape: Self.shape())
        try ring.add([UInt8](repeating: 0xAB, count: 9_000), of: Self.motion(1))
        try ring.add(Self.picture(2), of: Self.motion(200))
        #expect(try ring.delete(1))
        #expect(try !ring.delete(1))
        #expect(try PictureRing(asFound: card).records.map(\.number) == [2])
        let left = try (0..<card.blockCount).filter { index in
            try card.read(index).contains([0xAB, 0xAB, 0xAB, 0xAB])
        }
        #expect(left.isEmpty)
    }

    /// A page that is open still has the numbers of pictures that were deleted meanwhile.
    @Test func aNumberIsNeverGivenTwice() throws {
        let card = try Self.card()
        func opened() throws -> PictureRing { try PictureRing(card, shape: Self.shape()) }
        for number in 1...7 { try opened().add(Self.picture(number), of: Self.motion(1)) }
        try opened().delete(7)
        #expect(try opened().add(Self.picture(8), of: Self.motion(1)).number == 8)
        for record in try opened().records { try opened().delete(record.number) }
        #expect(try opened().records.isEmpty)
        #expect(try opened().add(Self.picture(9), of: Self.motion(1)).number == 9)
    }

    /// At every write and sync of a picture that follows a deletion of all.
    @Test func aPowerCutGivesNoNumberTwice() throws {
        var (cut, isCut) = (0, true)
        while isCut {
            let card = try Self.card()
            let ring = try PictureRing(card, shape: Self.shape())
            for number in 1...9 { try ring.add(Self.picture(number), of: Self.motion(1)) }
            for record in ring.records { try ring.delete(record.number) }
            card.faults.powerEndsAt = card.operationCount + cut
            isCut = (try? ring.add(Self.picture(10), of: Self.motion(1))) == nil
            let left = card.afterPowerCut(.someSectors(seed: UInt64(cut)))
            let found = try PictureRing(left, shape: Self.shape())
            #expect(found.records.allSatisfy { $0.number == 10 })
            #expect(try found.add(Self.picture(11), of: Self.motion(1)).number >= 10)
            cut += 1
        }
        #expect(cut > 6)
    }

    @Test func aBadBlockCostsItsSlotAlone() throws {
        let card = try Self.card()
        let ring = try PictureRing(card, shape: Self.shape())
        card.faults.badBlocks = [2]
        #expect(throws: StorageError.self) { try ring.add(Self.picture(1), of: Self.motion(1)) }
        for number in 1...6 { try ring.add(Self.picture(number), of: Self.motion(1)) }
        #expect(try PictureRing(asFound: card).records.map(\.number) == [6, 5, 4, 3])
    }

    @Test func anotherShapeIsRefused() throws {
        let card = try Self.card()
        _ = try PictureRing(card, shape: Self.shape())
        let other = try #require(PictureShape(megabytes: 1, count: 4))
        #expect(throws: StorageError.self) { try PictureRing(card, shape: other) }
        #expect(PictureShape(megabytes: 1, count: 200) == nil)
    }
}
