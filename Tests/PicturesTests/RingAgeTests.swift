import Core
import Pictures
import SimulationKit
import Testing

@Suite struct RingAgeTests {
    private static let day: Int64 = 86_400

    private static func ring() throws -> (SimulatedBlockStorage, PictureRing) {
        let shape = try #require(PictureShape(megabytes: 1, count: 5))
        let card = SimulatedBlockStorage(blockSize: 4_096, blockCount: shape.blockCount)
        return (card, try PictureRing(card, shape: shape))
    }

    private static func moment(_ boot: UInt8, _ uptime: Int64, wall: Int64? = nil) -> RingMoment {
        RingMoment(
            boot: BootID(bytes: [UInt8](repeating: boot, count: 16)),
            uptime: MonotonicInstant(nanoseconds: uptime * 1_000_000_000),
            wall: wall.map { WallTime(nanoseconds: $0 * 1_000_000_000) }
        )
    }

    private static func motion(at wall: Int64? = nil) -> SeenMotion {
        SeenMotion(
            source: "door",
            time: wall.map { WallTime(nanoseconds: $0 * 1_000_000_000) },
            instant: MonotonicInstant(nanoseconds: 1)
        )
    }

    private static let picture = [UInt8](repeating: 7, count: 600)

    @Test func aPictureWithoutADateGoesByTheTimeThatTheMachineRan() throws {
        let (card, ring) = try Self.ring()
        try ring.add(Self.picture, of: Self.motion(), at: Self.moment(1, 100))
        #expect(try ring.expire(after: 14, at: Self.moment(1, 13 * Self.day)) == 0)
        // Another boot, whose whole time counts; the ring is opened anew.
        let again = try PictureRing(asFound: card)
        #expect(again.age.seconds == 13 * Self.day - 100)
        #expect(try again.expire(after: 14, at: Self.moment(2, Self.day)) == 0)
        #expect(try again.expire(after: 14, at: Self.moment(2, Self.day + 101)) == 1)
        #expect(try PictureRing(asFound: card).records.isEmpty)
    }

    @Test func withATrustedClockTheTimeBetweenCountsToo() throws {
        let (card, ring) = try Self.ring()
        try ring.add(Self.picture, of: Self.motion(), at: Self.moment(1, 10))
        try ring.expire(after: 14, at: Self.moment(1, 20, wall: 1_700_000_000))
        let later = 1_700_000_000 + 15 * Self.day
        #expect(try PictureRing(asFound: card).expire(after: 14, at: Self.moment(2, 5)) == 0)
        let found = try PictureRing(asFound: card)
        #expect(try found.expire(after: 14, at: Self.moment(2, 6, wall: later)) == 1)
    }

    /// 1970, and a date far ahead, are what a machine without a clock may say.
    @Test func aClockThatIsNotTrustedDeletesNothingAndKeepsNothing() throws {
        let (_, ring) = try Self.ring()
        let begin = 1_700_000_000 as Int64
        try ring.add(Self.picture, of: Self.motion(at: begin), at: Self.moment(1, 5, wall: begin))
        #expect(try ring.expire(after: 1, at: Self.moment(1, 60)) == 0)
        #expect(try ring.expire(after: 1, at: Self.moment(1, 60, wall: begin - 50)) == 0)
        #expect(try ring.expire(after: 1, at: Self.moment(1, Self.day + 6)) == 1)
    }

    /// One that is called synchronised all the while, at each of the steps that a ring sees.
    @Test(arguments: [5, 1_700_000_000 - 400 * 86_400, 1_700_000_000 + 400 * 86_400] as [Int64])
    func aClockThatIsWrongForAnHourDeletesNothing(wrong: Int64) throws {
        let (card, ring) = try Self.ring()
        let begin = 1_700_000_000 as Int64
        let right = { (uptime: Int64) in Self.moment(1, uptime, wall: begin + uptime) }
        try ring.add(Self.picture, of: Self.motion(at: begin), at: right(10))
        #expect(try ring.expire(after: 30, at: right(20)) == 0)
        let stepped = try PictureRing(asFound: card)
        let motion = Self.motion(at: wrong + 100)
        try stepped.add(Self.picture, of: motion, at: Self.moment(1, 120, wall: wrong + 120))
        for uptime in [3_600, 7_200] as [Int64] {
            let moment = Self.moment(1, uptime, wall: wrong + uptime)
            #expect(try PictureRing(asFound: card).expire(after: 30, at: moment) == 0)
        }
        let back = try PictureRing(asFound: card)
        try back.add(Self.picture, of: Self.motion(at: begin + 9_000), at: right(9_001))
        #expect(try PictureRing(asFound: card).expire(after: 30, at: right(10_800)) == 0)
        // Off for 29 days, and for 31.
        let later = { (boot: UInt8, days: Int64) in
            Self.moment(boot, 60, wall: begin + 10_800 + days * Self.day)
        }
        #expect(try PictureRing(asFound: card).expire(after: 30, at: later(2, 29)) == 0)
        #expect(try PictureRing(asFound: card).expire(after: 30, at: later(3, 31)) == 3)
    }

    /// A first start that was too short for an age to be written down.
    @Test func aDateOfTheNewestPictureSaysHowLongTheMachineWasOff() throws {
        let (card, ring) = try Self.ring()
        let begin = 1_700_000_000 as Int64
        try ring.add(Self.picture, of: Self.motion(at: begin), at: Self.moment(1, 5, wall: begin))
        let later = { (boot: UInt8, days: Int64) in
            Self.moment(boot, 60, wall: begin + days * Self.day)
        }
        #expect(try PictureRing(asFound: card).expire(after: 30, at: later(2, 29)) == 0)
        #expect(try PictureRing(asFound: card).expire(after: 30, at: later(3, 31)) == 1)
    }

    @Test func aDatedPictureGoesByItsDate() throws {
        let (_, ring) = try Self.ring()
        let begin = 1_700_000_000 as Int64
        // From before pictures had an age.
        try ring.add(Self.picture, of: Self.motion(at: begin))
        let last = begin + 14 * Self.day
        #expect(try ring.expire(after: 14, at: Self.moment(1, 60, wall: last)) == 0)
        #expect(try ring.expire(after: 14, at: Self.moment(1, 62, wall: last + 1)) == 1)
    }

    @Test func theNewestPictureKnowsTheAgeThatWasNotWritten() throws {
        let (card, ring) = try Self.ring()
        try ring.add(Self.picture, of: Self.motion(), at: Self.moment(1, 0))
        try ring.expire(after: 14, at: Self.moment(1, 100))
        try ring.add(Self.picture, of: Self.motion(), at: Self.moment(1, 5_000))
        let found = try PictureRing(asFound: card)
        #expect(found.age.seconds == 5_000)
        #expect(found.age.advanced(to: Self.moment(2, 40)).seconds == 5_040)
        #expect(found.age.advanced(to: Self.moment(1, 4_000)).seconds == 5_000)
    }

    /// At each write and sync of an expiry: the ring keeps its shape and every picture it should.
    @Test(arguments: [0, 1, 2]) func aPowerCutWhileTheAgeIsWrittenCostsNothing(kind: Int) throws {
        var cut = 0
        var isCut = true
        while isCut {
            let (card, ring) = try Self.ring()
            try ring.add(Self.picture, of: Self.motion(), at: Self.moment(1, 0))
            try ring.expire(after: 14, at: Self.moment(1, 1_000))
            card.faults.powerEndsAt = card.operationCount + cut
            isCut = (try? ring.expire(after: 14, at: Self.moment(1, 2_000))) == nil
            let survival: SimulatedBlockStorage.Survival =
                switch kind {
                case 0: .nothing
                case 1: .someWrites(seed: UInt64(cut))
                default: .someSectors(seed: UInt64(cut))
                }
            let found = try PictureRing(asFound: card.afterPowerCut(survival))
            #expect(found.records.count == 1 && [1_000, 2_000].contains(found.age.seconds))
            cut += 1
        }
        #expect(cut > 2)
    }
}
