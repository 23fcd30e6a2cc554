import Core
import HardwareIO

/// One picture of the ring: what it shows and where it lies.
package struct PictureRecord: Hashable, Sendable {
    /// What a used slot begins with, in ASCII.
    static let magic = Array("ROOST-PICTURE-01".utf8)
    /// Magic 16, number 8, time 8, instant 8, bytes 4, CRC-32 of the picture 4, length of the
    /// source 1, source 63, CRC-32 of these 112 bytes 4; little-endian.
    static let byteCount = 116
    /// Bytes of a source's name, at most; a longer one loses whole characters.
    static let sourceMax = 63
    /// Stands for no time.
    private static let undated = Int64.min

    /// 1 for the first picture of the ring; never given twice.
    package let number: UInt64
    /// When the motion began; nil while no clock was trusted.
    package let time: WallTime?
    /// When the motion began, since the machine's start.
    package let instant: MonotonicInstant
    /// The motion sensor.
    package let source: String
    package let byteCount: Int
    let checksum: UInt32

    package init(
        number: UInt64,
        motion: SeenMotion,
        picture: [UInt8]
    ) {
        (self.number, time, instant) = (number, motion.time, motion.instant)
        var source = motion.source
        while source.utf8.count > Self.sourceMax { source.removeLast() }
        self.source = source
        (byteCount, checksum) = (picture.count, CRC32.checksum(picture))
    }

    /// `2026-11-25T08-49-03Z-12.jpg`: the motion's time and the picture's number.
    package var name: String {
        let stamp = time.map { $0.iso8601.replacing(":", with: "-") } ?? "undated"
        return "\(stamp)-\(number).jpg"
    }

    /// Reads a slot's header; nil for none of ours, or a damaged one.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.byteCount, bytes.starts(with: Self.magic) else { return nil }
        func value(_ offset: Int, _ count: Int) -> UInt64 {
            (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << (8 * UInt64($1)) }
        }
        let length = Int(bytes[48])
        let found = UInt32(value(112, 4))
        guard found == CRC32.checksum(bytes[..<112]), length <= Self.sourceMax else { return nil }
        number = value(16, 8)
        let wall = Int64(bitPattern: value(24, 8))
        time = wall == Self.undated ? nil : WallTime(nanoseconds: wall)
        instant = MonotonicInstant(nanoseconds: Int64(bitPattern: value(32, 8)))
        (byteCount, checksum) = (Int(value(40, 4)), UInt32(value(44, 4)))
        source = String(decoding: bytes[49..<(49 + length)], as: UTF8.self)
    }

    /// 512 bytes.
    var header: [UInt8] {
        var bytes = Self.magic
        func append(_ value: UInt64, _ count: Int) {
            for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
        }
        append(number, 8)
        append(UInt64(bitPattern: time?.nanoseconds ?? Self.undated), 8)
        append(UInt64(bitPattern: instant.nanoseconds), 8)
        append(UInt64(byteCount), 4)
        append(UInt64(checksum), 4)
        bytes.append(UInt8(source.utf8.count))
        bytes += source.utf8
        bytes += [UInt8](repeating: 0, count: 112 - bytes.count)
        append(UInt64(CRC32.checksum(bytes)), 4)
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
