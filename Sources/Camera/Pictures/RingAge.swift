import Core
import HardwareIO

/// A moment of the machine that holds the ring.
package struct RingTime: Hashable, Sendable {
    package let boot: BootID
    /// Time since that boot.
    package let uptime: MonotonicInstant
    /// Wall time; nil while no clock is trusted.
    package let wall: WallTime?

    package init(boot: BootID, uptime: MonotonicInstant, wall: WallTime?) {
        (self.boot, self.uptime, self.wall) = (boot, uptime, wall)
    }
}

/// The age of a ring of pictures, by which its pictures age.
///
/// It counts the time that the machine ran, and the time that it was off as `AgreedDates` knows it.
/// It never goes back and needs no date, so that neither a clock that was never set nor one that is
/// wrong keeps pictures for ever, or deletes them all.
package struct RingAge: Hashable, Sendable {
    private static let magic = Array("ROOST-PICTUREAG2".utf8)
    /// Magic 16, seconds 8, boot 16, uptime 8, birth 8, lowest, highest and begin of the dates 24,
    /// CRC-32 of these 80 bytes 4; little-endian.
    private static let byteCount = 84
    private static let unknown = Int64.min
    /// Greatest age in seconds, 292 000 years.
    private static let limit = Int64.max / 1_000_000

    /// The age in seconds, from 0.
    package let seconds: Int64
    private let boot: BootID?
    /// Seconds since that boot.
    private let uptime: Int64
    private let dates: AgreedDates
    /// Seconds since 1970, by the least of the dates of two days.
    ///
    /// Only known at the moment when two days' dates are together; not written.
    let date: Int64?

    private init(
        seconds: Int64,
        boot: BootID?,
        uptime: Int64,
        dates: AgreedDates,
        date: Int64? = nil
    ) {
        self.seconds = min(max(seconds, 0), Self.limit)
        (self.boot, self.uptime, self.dates) = (boot, uptime, dates)
        self.date = date
    }

    /// The age of a ring that has stored nothing yet.
    static let new = RingAge(seconds: 0, boot: nil, uptime: 0, dates: AgreedDates())

    /// Returns the later of this age and the newest picture's.
    ///
    /// - Parameters:
    ///   - stamp: Of the newest picture.
    /// - Returns: This, or the age at that picture.
    func orLater(_ stamp: PictureRecord.Stamp?, at time: WallTime?) -> RingAge {
        guard let stamp, boot == nil || stamp.seconds > seconds else { return self }
        var dates = dates
        if let time, time >= .plausible {
            dates.add(time.nanoseconds / 1_000_000_000, at: stamp.seconds)
        }
        return RingAge(
            seconds: stamp.seconds,
            boot: stamp.boot,
            uptime: stamp.uptime,
            dates: dates
        )
    }

    /// Returns the age at a later moment.
    ///
    /// In a boot other than the last one, all the time since its start counts.
    package func advanced(to moment: RingTime) -> RingAge {
        let isSameBoot = boot == moment.boot
        let now = max(moment.uptime.nanoseconds / 1_000_000_000, isSameBoot ? uptime : 0)
        let running = isSameBoot ? now - uptime : boot == nil ? 0 : now
        var seconds = min(self.seconds + running, Self.limit)
        var dates = dates
        var date: Int64?
        if let wall = moment.wall, wall >= .plausible {
            dates.add(wall.nanoseconds / 1_000_000_000, at: seconds)
            date = dates.leastDate(at: seconds)
            seconds = min(seconds + dates.settle(at: seconds), Self.limit)
        }
        return RingAge(
            seconds: seconds,
            boot: moment.boot,
            uptime: now,
            dates: dates,
            date: date
        )
    }

    /// Reads the second sector of the ring; nil for a foreign or damaged one.
    init?(_ bytes: ArraySlice<UInt8>) {
        if let earlier = Self.earlier(bytes) {
            self = earlier
            return
        }
        var input = LittleEndianReader(bytes)
        guard bytes.count >= Self.byteCount, input.read(16).elementsEqual(Self.magic) else {
            return nil
        }
        let seconds = input.integer()
        let boot = BootID(bytes: Array(input.read(16)))
        let (uptime, birth) = (input.integer(), input.integer())
        let (low, high, since) = (input.integer(), input.integer(), input.integer())
        let checksum = CRC32.checksum(bytes.prefix(Self.byteCount - 4))
        guard UInt32(input.number(4)) == checksum else { return nil }
        let range = -Self.limit...Self.limit
        guard (0...Self.limit).contains(seconds), (0...Self.limit).contains(uptime) else {
            return nil
        }
        var span: AgreedDates.Span?
        if range.contains(low), (low...Self.limit).contains(high), (0...seconds).contains(since) {
            span = AgreedDates.Span(low: low, high: high, since: since)
        }
        self.init(
            seconds: seconds,
            boot: boot,
            uptime: uptime,
            dates: AgreedDates(birth: range.contains(birth) ? birth : nil, span: span)
        )
    }

    /// Reads the older format, `ROOST-PICTUREAGE`: one trusted time, as dates need not agree.
    private static func earlier(_ bytes: ArraySlice<UInt8>) -> RingAge? {
        let byteCount = 68
        var input = LittleEndianReader(bytes)
        guard bytes.count >= byteCount,
            input.read(16).elementsEqual("ROOST-PICTUREAGE".utf8)
        else { return nil }
        let seconds = input.integer()
        let boot = BootID(bytes: Array(input.read(16)))
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
            dates: AgreedDates(birth: isDated ? wall - known : nil)
        )
    }

    /// The sector, 512 bytes; zeros while no moment is known.
    var sector: [UInt8] {
        guard let boot else { return [UInt8](repeating: 0, count: 512) }
        var bytes = Self.magic
        bytes.append(littleEndian: UInt64(bitPattern: seconds), 8)
        bytes += boot.bytes
        bytes.append(littleEndian: UInt64(bitPattern: uptime), 8)
        let unknown = Self.unknown
        let span = dates.span
        let (low, high) = (span?.low ?? unknown, span?.high ?? unknown)
        for number in [dates.birth ?? unknown, low, high, span?.since ?? unknown] {
            bytes.append(littleEndian: UInt64(bitPattern: number), 8)
        }
        bytes.append(littleEndian: UInt64(CRC32.checksum(bytes)), 4)
        return bytes + [UInt8](repeating: 0, count: 512 - bytes.count)
    }
}
