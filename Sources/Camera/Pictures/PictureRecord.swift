import Core
import HardwareIO

/// The header of one picture in the ring: its number, its motion, and the time of storing it.
package struct PictureRecord: Hashable, Sendable {
    /// First bytes of a used slot, in ASCII.
    static let magic = Array("ROOST-PICTURE-01".utf8)
    /// Bytes of a header without a stamp, little-endian.
    ///
    /// Magic 16, number 8, time 8, instant 8, bytes 4, CRC-32 of the picture 4, length of the
    /// source 1, source 63, CRC-32 of these 112 bytes 4.
    static let byteCount = 116
    /// Bytes with the stamp behind it: boot 16, uptime 8, the ring's age 8, CRC-32 of all before 4.
    static let stampedByteCount = 152
    /// First bytes of an emptied slot; then the number of its last picture 8, CRC-32 of both 4.
    private static let emptiedMagic = Array("ROOST-EMPTIED-01".utf8)
    /// Bytes of a source's name, at most; a longer one loses whole characters.
    static let sourceMax = 63
    /// Value for an unknown time.
    private static let undated = Int64.min

    /// Time when a picture was stored, by boot and by the ring's age.
    package struct Stamp: Hashable, Sendable {
        package let boot: BootID
        /// Seconds since that boot.
        let uptime: Int64
        /// The ring's age then, in seconds.
        let seconds: Int64
    }

    /// Number of the picture, from 1; never given twice.
    package let number: UInt64
    /// When the motion began; nil while no clock was trusted.
    package let time: WallTime?
    /// When the motion began, since the machine's start.
    package let instant: MonotonicInstant
    /// The motion sensor.
    package let source: String
    /// Bytes of the picture.
    package let byteCount: Int
    /// Time of storing; nil for a picture from before pictures had one.
    package let stamp: Stamp?
    let checksum: UInt32

    init(
        number: UInt64,
        motion: SeenMotion,
        picture: [UInt8],
        stamp: Stamp?
    ) {
        (self.number, time, instant) = (number, motion.time, motion.instant)
        (source, self.stamp) = (Self.cut(motion.source), stamp)
        (byteCount, checksum) = (picture.count, CRC32.checksum(picture))
    }

    private static func cut(_ source: String) -> String {
        var source = source
        while source.utf8.count > Self.sourceMax { source.removeLast() }
        return source
    }

    /// Whether the motion sensor with this name saw it; compares 63 bytes of the name at most.
    package func isOf(_ sensor: String) -> Bool { source == Self.cut(sensor) }

    /// `2026-11-25T08-49-03Z-12.jpg`: the motion's time and the picture's number.
    package var name: String {
        let stamp = time.map { $0.iso8601.replacing(":", with: "-") } ?? "undated"
        return "\(stamp)-\(number).jpg"
    }

    /// Reads a slot's header; nil for a foreign or damaged one.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.byteCount, bytes.starts(with: Self.magic) else { return nil }
        var input = LittleEndianReader(bytes[Self.magic.count...])
        number = input.number(8)
        let wall = input.integer()
        time = wall == Self.undated ? nil : WallTime(nanoseconds: wall)
        instant = MonotonicInstant(nanoseconds: input.integer())
        (byteCount, checksum) = (Int(input.number(4)), UInt32(input.number(4)))
        let length = Int(input.number(1))
        let name = input.read(Self.sourceMax)
        guard UInt32(input.number(4)) == CRC32.checksum(bytes[..<112]), length <= Self.sourceMax
        else { return nil }
        source = String(decoding: name.prefix(length), as: UTF8.self)
        stamp = Self.stamp(bytes, &input)
    }

    private static func stamp(_ bytes: [UInt8], _ input: inout LittleEndianReader) -> Stamp? {
        guard bytes.count >= stampedByteCount else { return nil }
        let boot = BootID(bytes: Array(input.read(16)))
        let stamp = Stamp(boot: boot, uptime: input.integer(), seconds: input.integer())
        let checksum = CRC32.checksum(bytes[..<(stampedByteCount - 4)])
        guard UInt32(input.number(4)) == checksum, stamp.uptime >= 0, stamp.seconds >= 0 else {
            return nil
        }
        return stamp
    }

    /// Returns the 512 bytes of an emptied slot, which keep only the number of its picture.
    static func emptied(_ number: UInt64) -> [UInt8] {
        guard number > 0 else { return [UInt8](repeating: 0, count: 512) }
        var bytes = emptiedMagic
        bytes.append(littleEndian: number, 8)
        bytes.append(littleEndian: UInt64(CRC32.checksum(bytes)), 4)
        return bytes + [UInt8](repeating: 0, count: 512 - bytes.count)
    }

    /// The number of an emptied slot's last picture; 0 for a slot without a valid mark.
    static func emptiedNumber(_ bytes: [UInt8]) -> UInt64 {
        guard bytes.count >= 28, bytes.starts(with: emptiedMagic) else { return 0 }
        var input = LittleEndianReader(bytes[emptiedMagic.count...])
        let number = input.number(8)
        return UInt32(input.number(4)) == CRC32.checksum(bytes[..<24]) ? number : 0
    }

    /// The header, 512 bytes.
    var header: [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: number, 8)
        bytes.append(littleEndian: UInt64(bitPattern: time?.nanoseconds ?? Self.undated), 8)
        bytes.append(littleEndian: UInt64(bitPattern: instant.nanoseconds), 8)
        bytes.append(littleEndian: UInt64(byteCount), 4)
        bytes.append(littleEndian: UInt64(checksum), 4)
        bytes.append(UInt8(source.utf8.count))
        bytes += source.utf8
        bytes += [UInt8](repeating: 0, count: 112 - bytes.count)
        bytes.append(littleEndian: UInt64(CRC32.checksum(bytes)), 4)
        if let stamp {
            bytes += stamp.boot.bytes
            bytes.append(littleEndian: UInt64(bitPattern: stamp.uptime), 8)
            bytes.append(littleEndian: UInt64(bitPattern: stamp.seconds), 8)
            bytes.append(littleEndian: UInt64(CRC32.checksum(bytes)), 4)
        }
        return bytes + [UInt8](repeating: 0, count: 512 - bytes.count)
    }
}

/// A motion that a sensor saw.
package struct SeenMotion: Hashable, Sendable {
    package let source: String
    /// When it began; nil while no clock was trusted.
    package let time: WallTime?
    package let instant: MonotonicInstant

    package init(source: String, time: WallTime?, instant: MonotonicInstant) {
        (self.source, self.time, self.instant) = (source, time, instant)
    }
}
