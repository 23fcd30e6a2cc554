import Camera
import Core
import HardwareIO
import Testing

@testable import SimulationKit

@Suite struct RingAgeTests {
    private static let day: Int64 = 86_400

    private static func ring() throws -> (SimulatedBlockStorage, PictureRing) {
        let shape = try #require(PictureShape(megabytes: 1, count: 5))
        let card = SimulatedBlockStorage(blockSize: 4_096, blockCount: shape.blockCount)
        return (card, try PictureRing(card, shape: shape))
    }

    private static func moment(_ boot: UInt8, _ uptime: Int64, wall: Int64? = nil) -> RingTime {
        RingTime(
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

    /// Lives a boot with a trusted clock, looked at every six hours.
    ///
    /// - Returns: How many pictures were deleted.
    private static func live(
        _ card: SimulatedBlockStorage,
        boot: UInt8,
        days: Int64,
        from wall: Int64,
        retention: Int = 14
    ) throws -> Int {
        var count = 0
        for uptime in stride(from: 60, through: days * day, by: 6 * 3_600) {
            let moment = moment(boot, uptime, wall: wall + uptime)
            count += try PictureRing(asFound: card).expire(after: retention, at: moment)
        }
        return count
    }

    @Test func withATrustedClockTheTimeBetweenCountsToo() throws {
        let (card, ring) = try Self.ring()
        let begin = 1_700_000_000 as Int64
        try ring.add(Self.picture, of: Self.motion(), at: Self.moment(1, 10))
        #expect(try Self.live(card, boot: 1, days: 5, from: begin) == 0)
        let later = begin + 20 * Self.day
        #expect(try Self.live(card, boot: 2, days: 1, from: later) == 0, "it may be a wrong one")
        #expect(try Self.live(card, boot: 3, days: 5, from: later + Self.day) == 1)
    }

    /// A wrong day with a restart in it, a time server's or a person's, at first or later.
    @Test(arguments: [-366, 366, -20_000] as [Int64], [false, true])
    func aDayOfAWrongYearDeletesNothing(shift: Int64, isFirst: Bool) throws {
        let (card, ring) = try Self.ring()
        var wall = 1_700_000_000 as Int64
        try ring.add(Self.picture, of: Self.motion(), at: Self.moment(1, 10))
        if !isFirst {
            #expect(try Self.live(card, boot: 1, days: 5, from: wall, retention: 30) == 0)
            wall += 5 * Self.day
        }
        let wrong = wall + shift * Self.day
        #expect(try Self.live(card, boot: 2, days: 1, from: wrong, retention: 30) == 0)
        #expect(
            try Self.live(card, boot: 3, days: 1, from: wrong + Self.day, retention: 30) == 0
        )
        wall += 2 * Self.day
        #expect(try Self.live(card, boot: 4, days: 15, from: wall, retention: 30) == 0)
        let age = try PictureRing(asFound: card).age.seconds
        #expect(age <= (isFirst ? 17 : 22) * Self.day)
        // It still counts what is true, and deletes by it.
        wall += 45 * Self.day
        #expect(try Self.live(card, boot: 5, days: 5, from: wall, retention: 30) == 1)
    }

    /// How long it was off is known after two days, and does not age pictures taken since.
    @Test func aYearInADrawerEndsWhatWasBeforeIt() throws {
        let (card, ring) = try Self.ring()
        let begin = 1_700_000_000 as Int64
        try ring.add(Self.picture, of: Self.motion(), at: Self.moment(1, 10, wall: begin + 10))
        #expect(try Self.live(card, boot: 1, days: 3, from: begin) == 0)
        let later = begin + 365 * Self.day
        let again = try PictureRing(asFound: card)
        try again.add(Self.picture, of: Self.motion(), at: Self.moment(2, 30, wall: later + 30))
        #expect(try Self.live(card, boot: 2, days: 6, from: later) == 1)
        #expect(try PictureRing(asFound: card).records.map(\.number) == [2])
    }

    /// Nights without power: the window goes over them.
    @Test func aStationThatIsOffEachNightAgesByDays() throws {
        let (card, ring) = try Self.ring()
        let begin = 1_700_000_000 as Int64
        try ring.add(Self.picture, of: Self.motion(), at: Self.moment(1, 10))
        for number in 0..<40 as Range<Int64> {
            for uptime in stride(from: 60, through: 12 * 3_600, by: 3_600) as StrideThrough<Int64> {
                let wall = begin + number * Self.day + uptime
                let moment = Self.moment(UInt8(number + 1), uptime, wall: wall)
                try PictureRing(asFound: card).expire(after: 60, at: moment)
            }
        }
        // 20 days of running; what lies back for more than four of them is counted.
        let age = try PictureRing(asFound: card).age.seconds
        #expect((33 * Self.day...40 * Self.day).contains(age), "\(age / Self.day) days")
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

    /// The wrong clock claims to be synchronised, at each of the steps that a ring sees.
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
    }

    @Test func aDatedPictureGoesByItsDate() throws {
        let (card, ring) = try Self.ring()
        let begin = 1_700_000_000 as Int64
        // From before pictures had an age.
        try ring.add(Self.picture, of: Self.motion(at: begin))
        let last = begin + 9 * Self.day
        #expect(try Self.live(card, boot: 1, days: 4, from: last) == 0)
        let wrong = begin + 400 * Self.day
        #expect(try Self.live(card, boot: 2, days: 1, from: wrong) == 0, "a clock that is wrong")
        #expect(try Self.live(card, boot: 3, days: 3, from: last + 5 * Self.day) == 1)
    }

    /// Before any dates agreed: the later ones make the least age, and no date.
    @Test func oneDateFarAheadMakesNoDatedPictureOld() throws {
        let (card, ring) = try Self.ring()
        let begin = 1_700_000_000 as Int64
        // From before pictures had an age.
        try ring.add(Self.picture, of: Self.motion(at: begin))
        #expect(try Self.live(card, boot: 1, days: 1, from: begin + Self.day) == 0)
        let wrong = Self.moment(1, Self.day + 60, wall: begin + 9 * 365 * Self.day)
        #expect(try PictureRing(asFound: card).expire(after: 14, at: wrong) == 0)
        #expect(try Self.live(card, boot: 2, days: 4, from: begin + 3 * Self.day) == 0)
        #expect(try PictureRing(asFound: card).records.count == 1)
        // A true date still counts.
        #expect(try Self.live(card, boot: 3, days: 5, from: begin + 20 * Self.day) == 1)
    }

    private static func bytes(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// As it was written before: its date counts on.
    @Test func theAgeOfAnEarlierVersionIsRead() throws {
        let (card, ring) = try Self.ring()
        let begin = 1_700_000_000 as Int64
        try ring.add(Self.picture, of: Self.motion(), at: Self.moment(1, 10))
        let words = [3 * Self.day, 3 * Self.day, begin + 3 * Self.day].map(Self.bytes)
        var bytes = Array("ROOST-PICTUREAGE".utf8) + words[0]
        bytes += [UInt8](repeating: 1, count: 16) + words[0] + words[1] + words[2]
        bytes += Self.bytes(Int64(CRC32.checksum(bytes))).prefix(4)
        let shape = try card.read(0).prefix(512)
        try card.write(0, shape + bytes + [UInt8](repeating: 0, count: 512 - bytes.count))
        try card.sync()
        #expect(try PictureRing(asFound: card).age.seconds == 3 * Self.day)
        #expect(try Self.live(card, boot: 2, days: 5, from: begin + 30 * Self.day) == 1)
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
