import Core
import HardwareIO

/// A moment of the machine that has the ring.
package struct RingMoment: Hashable, Sendable {
    package let boot: BootID
    /// Since that boot.
    package let uptime: MonotonicInstant
    /// Nil while no clock is trusted.
    package let wall: WallTime?

    package init(boot: BootID, uptime: MonotonicInstant, wall: WallTime?) {
        (self.boot, self.uptime, self.wall) = (boot, uptime, wall)
    }
}

/// How old a ring of pictures is: the time by which pictures age.
///
/// It counts the time that the machine ran, and the time that it was off, as the dates of a trusted
/// clock say. A time server or a person can be wrong for a day, and what is deleted stays deleted:
/// so the dates of two days of running decide together, and never one of them. It never goes back
/// and needs no date, so that neither a clock that was never set nor one that is wrong keeps
/// pictures for ever, or deletes them all.
package struct RingAge: Hashable, Sendable {
    private static let magic = Array("ROOST-PICTUREAG2".utf8)
    /// Magic 16, seconds 8, boot 16, uptime 8, birth 8, lowest, highest and begin of the dates 24,
    /// CRC-32 of these 80 bytes 4; little-endian.
    private static let byteCount = 84
    private static let unknown = Int64.min
    /// 292 000 years; nothing here comes near it.
    private static let limit = Int64.max / 1_000_000
    /// Seconds of running over which dates decide together: longer than a wrong day.
    private static let agreement: Int64 = 2 * 86_400

    /// Seconds, from 0.
    package let seconds: Int64
    private let boot: BootID?
    /// Seconds since that boot.
    private let uptime: Int64
    /// The date of age 0 in seconds since 1970, as dates agreed on it.
    private let birth: Int64?
    private let dates: Dates?

    /// Which dates of age 0 the trusted times of the last while meant.
    private struct Dates: Hashable {
        var low: Int64
        var high: Int64
        /// The age at which the while began.
        let since: Int64

        init(_ birth: Int64, since: Int64) { (low, high, self.since) = (birth, birth, since) }

        mutating func add(_ birth: Int64) { (low, high) = (min(low, birth), max(high, birth)) }
    }

    private init(seconds: Int64, boot: BootID?, uptime: Int64, birth: Int64?, dates: Dates?) {
        self.seconds = min(max(seconds, 0), Self.limit)
        (self.boot, self.uptime, self.birth, self.dates) = (boot, uptime, birth, dates)
    }

    /// Of a ring that has kept nothing yet.
    static let new = RingAge(seconds: 0, boot: nil, uptime: 0, birth: nil, dates: nil)

    /// Seconds since 1970 by the dates that agreed; nil before any did.
    var date: Int64? { birth.map { $0 + seconds } }

    /// The later of this and what the newest picture says of it.
    ///
    /// - Parameters:
    ///   - stamp: Of the newest picture.
    ///   - time: Its date.
    /// - Returns: This, or the age at that picture.
    func orLater(_ stamp: PictureRecord.Stamp?, at time: WallTime?) -> RingAge {
        guard let stamp, boot == nil || stamp.seconds > seconds else { return self }
        var dates = dates
        Self.add(time, at: stamp.seconds, to: &dates)
        return RingAge(
            seconds: stamp.seconds,
            boot: stamp.boot,
            uptime: stamp.uptime,
            birth: birth,
            dates: dates
        )
    }

    private static func add(_ time: WallTime?, at seconds: Int64, to dates: inout Dates?) {
        guard let time, time >= .plausible else { return }
        let birth = time.nanoseconds / 1_000_000_000 - seconds
        if dates == nil { dates = Dates(birth, since: seconds) }
        dates?.add(birth)
    }

    /// The age at a later moment.
    ///
    /// Of a boot that is not the last one, all the time since its start counts.
    package func advanced(to moment: RingMoment) -> RingAge {
        let isSameBoot = boot == moment.boot
        let now = max(moment.uptime.nanoseconds / 1_000_000_000, isSameBoot ? uptime : 0)
        let running = isSameBoot ? now - uptime : boot == nil ? 0 : now
        var seconds = min(self.seconds + running, Self.limit)
        var (birth, dates) = (birth, dates)
        Self.add(moment.wall, at: seconds, to: &dates)
        if moment.wall != nil, let all = dates, seconds - all.since >= Self.agreement {
            if let known = birth, all.low > known {
                // Even the earliest of these dates is later: so long the machine was off.
                seconds = min(seconds + all.low - known, Self.limit)
            } else {
                // Of the dates that it may have, the one by which it ages the least.
                birth = min(birth ?? .max, all.high)
            }
            dates = nil
        }
        return RingAge(
            seconds: seconds,
            boot: moment.boot,
            uptime: now,
            birth: birth,
            dates: dates
        )
    }

    /// Reads the second sector of the ring; nil for none of ours, or a damaged one.
    init?(_ bytes: ArraySlice<UInt8>) {
        if let earlier = Self.earlier(bytes) {
            self = earlier
            return
        }
        var input = LittleEndianReader(bytes)
        guard bytes.count >= Self.byteCount, input.take(16).elementsEqual(Self.magic) else {
            return nil
        }
        let seconds = input.integer()
        let boot = BootID(bytes: Array(input.take(16)))
        let (uptime, birth) = (input.integer(), input.integer())
        let (low, high, since) = (input.integer(), input.integer(), input.integer())
        let checksum = CRC32.checksum(bytes.prefix(Self.byteCount - 4))
        guard UInt32(input.number(4)) == checksum else { return nil }
        let range = -Self.limit...Self.limit
        guard (0...Self.limit).contains(seconds), (0...Self.limit).contains(uptime) else {
            return nil
        }
        var dates: Dates?
        if range.contains(low), range.contains(high), (0...seconds).contains(since) {
            dates = Dates(low, since: since)
            dates?.add(high)
        }
        self.init(
            seconds: seconds,
            boot: boot,
            uptime: uptime,
            birth: range.contains(birth) ? birth : nil,
            dates: dates
        )
    }

    /// As it was written before dates had to agree: `ROOST-PICTUREAGE`, with one trusted time.
    private static func earlier(_ bytes: ArraySlice<UInt8>) -> RingAge? {
        let byteCount = 68
        var input = LittleEndianReader(bytes)
        guard bytes.count >= byteCount,
            input.take(16).elementsEqual("ROOST-PICTUREAGE".utf8)
        else { return nil }
        let seconds = input.integer()
        let boot = BootID(bytes: Array(input.take(16)))
        let (uptime, known, wall) = (input.integer(), input.integer(), input.integer())
        let checksum = CRC32.checksum(bytes.prefix(byteCount - 4))
        let range = 0...limit
        guard UInt32(input.number(4)) == checksum, range.contains(seconds),
            range.contains(uptime)
        else { return nil }
        let isDated = range.contains(known) && range.contains(wall)
        return RingAge(
            seconds: seconds,
            boot: boot,
            uptime: uptime,
            birth: isDated ? wall - known : nil,
            dates: nil
        )
    }

    /// 512 bytes; zeros while no moment is known.
    var sector: [UInt8] {
        guard let boot else { return [UInt8](repeating: 0, count: 512) }
        var bytes = Self.magic
        bytes.append(littleEndian: UInt64(bitPattern: seconds), 8)
        bytes += boot.bytes
        bytes.append(littleEndian: UInt64(bitPattern: uptime), 8)
        let unknown = Self.unknown
        let (low, high) = (dates?.low ?? unknown, dates?.high ?? unknown)
        for number in [birth ?? unknown, low, high, dates?.since ?? unknown] {
            bytes.append(littleEndian: UInt64(bitPattern: number), 8)
        }
        bytes.append(littleEndian: UInt64(CRC32.checksum(bytes)), 4)
        return bytes + [UInt8](repeating: 0, count: 512 - bytes.count)
    }
}
