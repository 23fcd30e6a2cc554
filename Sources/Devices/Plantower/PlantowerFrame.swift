/// Frames of the Plantower PMSx003 family: `42 4D`, a length, words, and their 16-bit sum.
///
/// The length identifies some members: 24 bytes are a PMS3003, 40 a PMS5003ST, 8 the answer to a
/// command. With 32 bytes a PMS1003, 5003, 6003, 7003, A003, 5003S and 5003T look the same.
///
/// - Source: Plantower, *PMS5003 series data manual V2.5*, appendices I and II; `avaldebe/PyPMS:
///   src/pms/sensors/plantower/` for the frames of 24 and 40 bytes.
enum PlantowerFrame {
    static let head: [UInt8] = [0x42, 0x4D]
    /// Valid values of the length field, which counts neither itself nor the two bytes of the head.
    static let lengths: Set<UInt8> = [0x04, 0x14, 0x1C, 0x24]
    static let shortest = 8
    static let longest = 40

    /// Appends what makes words a frame.
    static func bytes(_ payload: [UInt8]) -> [UInt8] {
        let start = head + [0, UInt8(payload.count + 2)] + payload
        let sum = checksum(start[...])
        return start + [UInt8(sum >> 8), UInt8(truncatingIfNeeded: sum)]
    }

    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        bytes.reduce(0) { $0 &+ UInt16($1) }
    }
}

/// Commands to a Plantower: `42 4D cmd 00 value`, and the sum.
///
/// - Source: Plantower, *PMS5003 series data manual V2.5*, appendix II.
enum PlantowerCommand: Hashable, Sendable, CaseIterable {
    case passive, active, read, sleep, wake

    var code: UInt8 {
        switch self {
        case .passive, .active: 0xE1
        case .read: 0xE2
        case .sleep, .wake: 0xE4
        }
    }

    var value: UInt8 {
        switch self {
        case .passive, .read, .sleep: 0
        case .active, .wake: 1
        }
    }

    static let byteCount = 7

    var bytes: [UInt8] {
        let start = PlantowerFrame.head + [code, 0, value]
        let sum = PlantowerFrame.checksum(start)
        return start + [UInt8(sum >> 8), UInt8(truncatingIfNeeded: sum)]
    }
}
