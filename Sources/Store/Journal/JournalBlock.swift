import Core
import HardwareIO

/// One write to the card: the records of one loss window.
package struct JournalBlock: Hashable, Sendable {
    /// Counts up from 1, never restarted for a store; numbers may be left out.
    package let sequence: UInt64
    package let boot: BootID
    package let payload: [UInt8]

    package init(sequence: UInt64, boot: BootID, payload: [UInt8]) {
        self.sequence = sequence
        self.boot = boot
        self.payload = payload
    }
}

/// A block of the ring that cannot be served.
package struct JournalDamage: Hashable, Sendable, CustomStringConvertible {
    package enum Cause: Hashable, Sendable {
        case magic
        case version(UInt8)
        case blockSize(Int)
        case length(Int)
        case checksum(expected: UInt32, found: UInt32)
        /// Whole, but another block than the one that belongs here.
        case misplaced(UInt64)
        case unreadable(errno: Int32)
        /// Acknowledged, according to its successor, and missing.
        case missing
        /// Went with the ring's turn, before the history had it.
        case overwritten
    }

    /// Where in the ring.
    package let slot: Int
    /// The sequence of the block that belongs there.
    package let sequence: UInt64
    package let cause: Cause

    package init(slot: Int, sequence: UInt64, cause: Cause) {
        self.slot = slot
        self.sequence = sequence
        self.cause = cause
    }

    package var description: String { "journal block \(sequence) in slot \(slot): \(text)" }

    private var text: String {
        switch cause {
        case .magic: "no journal block"
        case .version(let version): "format version \(version) is not known here"
        case .blockSize(let byteCount): "says that blocks have \(byteCount) bytes"
        case .length(let length): "says that it holds \(length) bytes"
        case .checksum(let expected, let found):
            "damaged (CRC-32C \(String(found, radix: 16)), "
                + "not \(String(expected, radix: 16)))"
        case .misplaced(let sequence): "holds block \(sequence)"
        case .unreadable(let errno): "cannot be read (errno \(errno))"
        case .missing: "is not there"
        case .overwritten: "and those before it were overwritten before the history had them"
        }
    }
}

/// The bytes of a block; `SPEC.md`, section Journal.
struct JournalBlockLayout {
    /// Magic 4, version 1, log₂ of the block size 1, length 2, sequence 8, previous 8, boot 16,
    /// CRC 4.
    static let headerByteCount = 44
    static let version: UInt8 = 1
    /// Upper bound of a sequence, never reached in use; a greater number is damage.
    static let sequenceLimit: UInt64 = 1 << 62

    static let magic = JournalPartition.blockMagic
    private static let checkOffset = 40

    /// A power of two, 512 … 65 536.
    let blockSize: Int

    /// The header of a block that passed its check.
    struct Header: Hashable {
        let sequence: UInt64
        /// The block acknowledged before this one; 0 when there was none.
        let previous: UInt64
    }

    /// The content of a slot.
    enum Slot {
        /// Zeros, as the ring was made.
        case blank
        case whole(Header, JournalBlock)
        case damaged(JournalDamage.Cause)
    }

    static func isAllowed(blockSize: Int) -> Bool {
        (512...65_536).contains(blockSize) && blockSize & (blockSize - 1) == 0
    }

    var payloadCapacity: Int { min(blockSize - Self.headerByteCount, Int(UInt16.max)) }

    /// The block and zeros up to the next multiple of 512 bytes; behind them, nothing matters.
    func encode(_ block: JournalBlock, previous: UInt64) -> [UInt8] {
        precondition(block.payload.count <= payloadCapacity, "the caller splits payloads")
        var bytes = Self.magic
        bytes.reserveCapacity(blockSize)
        bytes += [Self.version, UInt8(blockSize.trailingZeroBitCount)]
        bytes.append(littleEndian: UInt16(block.payload.count))
        bytes.append(littleEndian: block.sequence)
        bytes.append(littleEndian: previous)
        bytes += block.boot.bytes
        bytes.append(littleEndian: Self.check(header: bytes[...], payload: block.payload[...]))
        bytes += block.payload
        bytes += repeatElement(0, count: -bytes.count & 511)
        return bytes
    }

    func decode(_ bytes: [UInt8]) -> Slot {
        guard bytes.count == blockSize else { return .damaged(.length(bytes.count)) }
        guard Array(bytes[0..<4]) == Self.magic else {
            return bytes.allSatisfy { $0 == 0 } ? .blank : .damaged(.magic)
        }
        guard bytes[4] == Self.version else { return .damaged(.version(bytes[4])) }
        guard Int(bytes[5]) == blockSize.trailingZeroBitCount else {
            return .damaged(.blockSize(bytes[5] < 32 ? 1 << Int(bytes[5]) : 0))
        }
        let length = Int(bytes.littleEndian(UInt16.self, at: 6))
        guard length <= payloadCapacity else { return .damaged(.length(length)) }
        let payload = bytes[Self.headerByteCount..<Self.headerByteCount + length]
        let expected = bytes.littleEndian(UInt32.self, at: Self.checkOffset)
        let found = Self.check(header: bytes[..<Self.checkOffset], payload: payload)
        guard expected == found else {
            return .damaged(.checksum(expected: expected, found: found))
        }
        let header = Header(
            sequence: bytes.littleEndian(UInt64.self, at: 8),
            previous: bytes.littleEndian(UInt64.self, at: 16)
        )
        guard (1..<Self.sequenceLimit).contains(header.sequence),
            header.previous < header.sequence
        else { return .damaged(.misplaced(header.sequence)) }
        let boot = BootID(bytes: Array(bytes[24..<40]))
        return .whole(
            header,
            JournalBlock(sequence: header.sequence, boot: boot, payload: Array(payload))
        )
    }

    private static func check(header: ArraySlice<UInt8>, payload: ArraySlice<UInt8>) -> UInt32 {
        var check = CRC32C()
        check.append(header)
        check.append(payload)
        return check.value
    }
}

extension [UInt8] {
    mutating func append(littleEndian value: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// The number at `offset`, which has to be inside.
    func littleEndian<Value: FixedWidthInteger & UnsignedInteger>(
        _ type: Value.Type,
        at offset: Int
    ) -> Value {
        self[offset..<offset + Value.bitWidth / 8].reversed().reduce(0) { $0 << 8 | Value($1) }
    }
}
