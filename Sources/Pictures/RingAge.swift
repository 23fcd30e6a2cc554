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

/// How old a ring of pictures is: the time by which pictures without a date age.
///
/// It counts the time that the machine ran, and with a trusted clock also the time that it was off.
/// Within a boot no clock is asked: a step of the time is no time that passed. It never goes back
/// and needs no date, so that neither a clock that was never set nor one that is wrong keeps
/// pictures for ever, or deletes them all.
package struct RingAge: Hashable, Sendable {
    private static let magic = Array("ROOST-PICTUREAGE".utf8)
    /// Magic 16, seconds 8, boot 16, uptime 8, seconds at the last trusted time 8, that time 8,
    /// CRC-32 of these 64 bytes 4; little-endian.
    private static let byteCount = 68
    private static let unknown = Int64.min
    /// 292 000 years; nothing here comes near it.
    private static let limit = Int64.max / 1_000_000

    /// Seconds, from 0.
    package let seconds: Int64
    private let boot: BootID?
    /// Seconds since that boot.
    private let uptime: Int64
    /// Of `boot` when it has the age's own seconds, else of an earlier one.
    private let anchor: Anchor?

    /// How old the ring was at a trusted time.
    private struct Anchor: Hashable {
        let seconds: Int64
        let wall: Int64

        /// The same relation, a while later.
        func advanced(by running: Int64) -> Anchor {
            let (later, isBeyond) = wall.addingReportingOverflow(running)
            return Anchor(
                seconds: min(seconds + running, RingAge.limit),
                wall: isBeyond ? wall : later
            )
        }
    }

    private init(seconds: Int64, boot: BootID?, uptime: Int64, anchor: Anchor?) {
        self.seconds = min(max(seconds, 0), Self.limit)
        (self.boot, self.uptime, self.anchor) = (boot, uptime, anchor)
    }

    /// Of a ring that has kept nothing yet.
    static let new = RingAge(seconds: 0, boot: nil, uptime: 0, anchor: nil)

    private var hasAnchorOfBoot: Bool { anchor.map { $0.seconds == seconds } ?? false }

    /// The later of this and what the newest picture says of it.
    ///
    /// - Parameters:
    ///   - stamp: Of the newest picture.
    ///   - time: Its date, by which the age has one where nothing else of that boot says it.
    /// - Returns: This, or the age at that picture.
    func orLater(_ stamp: PictureRecord.Stamp?, at time: WallTime?) -> RingAge {
        guard let stamp, boot == nil || stamp.seconds > seconds else { return self }
        var anchor = anchor
        if boot == stamp.boot, hasAnchorOfBoot {
            anchor = anchor?.advanced(by: stamp.seconds - seconds)
        } else if let time, time >= .plausible {
            anchor = Anchor(seconds: stamp.seconds, wall: time.nanoseconds / 1_000_000_000)
        }
        return RingAge(
            seconds: stamp.seconds,
            boot: stamp.boot,
            uptime: stamp.uptime,
            anchor: anchor
        )
    }

    /// The age at a later moment.
    ///
    /// Of a boot that is not the last one, all the time since its start counts.
    package func advanced(to moment: RingMoment) -> RingAge {
        let isSameBoot = boot == moment.boot
        let now = max(moment.uptime.nanoseconds / 1_000_000_000, isSameBoot ? uptime : 0)
        let running = isSameBoot ? now - uptime : boot == nil ? 0 : now
        var seconds = min(self.seconds + running, Self.limit)
        var anchor = anchor
        if isSameBoot, hasAnchorOfBoot {
            anchor = anchor?.advanced(by: running)
        } else if let wall = moment.wall, wall >= .plausible {
            let wall = wall.nanoseconds / 1_000_000_000
            if let anchor { seconds = max(seconds, anchor.seconds + (wall - anchor.wall)) }
            anchor = Anchor(seconds: seconds, wall: wall)
        }
        return RingAge(seconds: seconds, boot: moment.boot, uptime: now, anchor: anchor)
    }

    /// Reads the second sector of the ring; nil for none of ours, or a damaged one.
    init?(_ bytes: ArraySlice<UInt8>) {
        var input = LittleEndianReader(bytes)
        guard bytes.count >= Self.byteCount, input.take(16).elementsEqual(Self.magic) else {
            return nil
        }
        let seconds = input.integer()
        let boot = BootID(bytes: Array(input.take(16)))
        let (uptime, known, wall) = (input.integer(), input.integer(), input.integer())
        let checksum = CRC32.checksum(bytes.prefix(Self.byteCount - 4))
        guard UInt32(input.number(4)) == checksum else { return nil }
        let range = 0...Self.limit
        guard range.contains(seconds), range.contains(uptime) else { return nil }
        let isAnchored = wall != Self.unknown && range.contains(known) && range.contains(abs(wall))
        self.init(
            seconds: seconds,
            boot: boot,
            uptime: uptime,
            anchor: isAnchored ? Anchor(seconds: known, wall: wall) : nil
        )
    }

    /// 512 bytes; zeros while no moment is known.
    var sector: [UInt8] {
        guard let boot else { return [UInt8](repeating: 0, count: 512) }
        var bytes = Self.magic
        bytes.append(littleEndian: UInt64(bitPattern: seconds), 8)
        bytes += boot.bytes
        bytes.append(littleEndian: UInt64(bitPattern: uptime), 8)
        bytes.append(littleEndian: UInt64(bitPattern: anchor?.seconds ?? 0), 8)
        bytes.append(littleEndian: UInt64(bitPattern: anchor?.wall ?? Self.unknown), 8)
        bytes.append(littleEndian: UInt64(CRC32.checksum(bytes)), 4)
        return bytes + [UInt8](repeating: 0, count: 512 - bytes.count)
    }
}
