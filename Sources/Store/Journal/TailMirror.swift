import Core
import HardwareIO

/// Records since the last block of the journal, in memory that outlives the process.
///
/// A crash of the process alone then loses nothing: `read()` at the next start returns every record
/// whose `append` had returned, and the journal the rest. Two halves are used in turn, so that an
/// interrupted reset leaves the previous half whole. An append writes the record, then its length,
/// which is what makes it count.
package final class TailMirror {
    /// The halves together; the size of the file to make.
    package static let byteLimit = 262_144

    private static let magic = Array("RTM2".utf8)
    /// Magic 4, CRC 4, generation 8, sequence 8, boot 16, store 16.
    private static let headerByteCount = 56

    private let memory: any SharedMemory
    private let identity: [UInt8]
    private var half: Half
    /// Where the next record goes, within the memory.
    private var end = 0

    /// The block of the journal that the records come after.
    package private(set) var sequence: UInt64 = 0
    /// Records in the mirror.
    package private(set) var count = 0
    /// Records that found no room since the start; a crash loses these, the node does not.
    package private(set) var refusedCount = 0

    private struct Half {
        var index: Int
        var generation: UInt64
    }

    /// Opens the memory, with the records that an earlier process of the same boot left in it.
    ///
    /// - Parameters:
    ///   - memory: At least 256 bytes; `byteLimit` is right. Garbage counts as empty.
    ///   - boot: What another boot left is not read: its ticks mean something else.
    ///   - store: What belongs to another store is not read: its values were measured elsewhere.
    package init(_ memory: any SharedMemory, boot: BootID, store: StoreID) {
        precondition(memory.byteCount >= 256, "a tail mirror has at least 256 bytes")
        self.memory = memory
        identity = boot.bytes + store.bytes
        half = Half(index: 0, generation: 0)
        let found = (0...1).compactMap { index in
            header(of: index).map { (index: index, generation: $0, sequence: $1) }
        }
        if let newest = found.max(by: { $0.generation < $1.generation }) {
            half = Half(index: newest.index, generation: newest.generation)
            sequence = newest.sequence
            let (records, end) = records(of: half)
            (count, self.end) = (records.count, end)
        } else {
            reset(after: 0, dropping: 0)
        }
    }

    /// Adds a record: three small writes to memory.
    ///
    /// - Parameter record: 1 … 65 535 bytes.
    /// - Returns: false when there is no room. Earlier records stay, so that a crash would lose one
    ///   piece at the end; the next reset makes room.
    @discardableResult
    package func append(_ record: [UInt8]) -> Bool {
        precondition((1...65_535).contains(record.count), "a record has 1 to 65 535 bytes")
        let after = end + Self.footprint(of: record)
        guard after <= limit(of: half) else {
            refusedCount += 1
            return false
        }
        // An old length behind this record must not make old bytes count.
        if after + 4 <= limit(of: half) { memory.write([0, 0, 0, 0], at: after) }
        memory.write(Self.check(record, half.generation) + record, at: end + 4)
        memory.write(Self.bytes(UInt32(record.count)), at: end)
        (end, count) = (after, count + 1)
        return true
    }

    /// Forgets the oldest records, which block `sequence` of the journal now holds.
    ///
    /// - Parameters:
    ///   - sequence: The block that was acknowledged.
    ///   - dropped: Records that it holds; those that came while it was written stay.
    package func reset(after sequence: UInt64, dropping dropped: Int) {
        let kept = half.generation == 0 ? [] : records(of: half).records.dropFirst(dropped)
        let next = Half(index: 1 - half.index, generation: half.generation + 1)
        var image: [UInt8] = []
        for record in kept {
            image += Self.bytes(UInt32(record.count)) + Self.check(record, next.generation)
            image += record
            image += repeatElement(0, count: -record.count & 3)
        }
        let start = start(of: next) + Self.headerByteCount
        if start + image.count + 4 <= limit(of: next) { image += [0, 0, 0, 0] }
        memory.write(image, at: start)
        memory.write(
            headerBytes(generation: next.generation, sequence: sequence),
            at: start - Self.headerByteCount
        )
        half = next
        self.sequence = sequence
        count = kept.count
        end = start + kept.reduce(0) { $0 + Self.footprint(of: $1) }
    }

    /// The records in the mirror, oldest first, and the block that they come after.
    ///
    /// When the journal has a newer block than that, the process died between the two: the oldest
    /// of these records, up to where that block ends, are in it as well.
    package func read() -> (sequence: UInt64, records: [[UInt8]]) {
        (sequence, records(of: half).records)
    }

    // MARK: - Layout

    private func start(of half: Half) -> Int { half.index * (memory.byteCount / 8 * 4) }

    private func limit(of half: Half) -> Int { start(of: half) + memory.byteCount / 8 * 4 }

    private static func footprint(of record: [UInt8]) -> Int { 8 + (record.count + 3) & ~3 }

    private static func check(_ record: [UInt8], _ generation: UInt64) -> [UInt8] {
        var check = CRC32C()
        check.append(bytes(generation))  // Records of an older turn fail this check.
        check.append(record)
        return bytes(check.value)
    }

    private static func bytes(_ value: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: value)
        return bytes
    }

    private func headerBytes(generation: UInt64, sequence: UInt64) -> [UInt8] {
        let facts = Self.bytes(generation) + Self.bytes(sequence) + identity
        return Self.magic + Self.bytes(CRC32C.of(facts)) + facts
    }

    private func header(of index: Int) -> (generation: UInt64, sequence: UInt64)? {
        let start = start(of: Half(index: index, generation: 0))
        let bytes = memory.read(start..<start + Self.headerByteCount)
        let facts = Array(bytes[8...])
        guard Array(bytes[0..<4]) == Self.magic, Array(facts[16...]) == identity,
            bytes.littleEndian(UInt32.self, at: 4) == CRC32C.of(facts)
        else { return nil }
        return (facts.littleEndian(UInt64.self, at: 0), facts.littleEndian(UInt64.self, at: 8))
    }

    private func records(of half: Half) -> (records: [[UInt8]], end: Int) {
        let (start, limit) = (start(of: half), limit(of: half))
        let bytes = memory.read(start..<limit)
        var records: [[UInt8]] = []
        var place = Self.headerByteCount
        while place + 8 < bytes.count {
            let length = Int(bytes.littleEndian(UInt32.self, at: place))
            guard length > 0, length <= bytes.count - place - 8 else { break }
            let record = Array(bytes[place + 8..<place + 8 + length])
            guard Array(bytes[place + 4..<place + 8]) == Self.check(record, half.generation) else {
                break
            }
            records.append(record)
            place += Self.footprint(of: record)
        }
        return (records, start + place)
    }
}
