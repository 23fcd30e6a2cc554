import Core
import HardwareIO

/// Pictures on the card in a ring of fixed size: the newest takes the place of the oldest.
///
/// A power cut leaves each picture whole or gone: a slot's header is cleared and synced before its
/// picture is written, and written after the picture was synced. Synchronous; it may block for
/// seconds. One process writes at a time; a reader may look meanwhile and gets whole pictures only,
/// by their checksum.
package final class PictureRing {
    package let shape: PictureShape
    private let storage: any BlockStorage
    /// Pictures by slot; nil for an empty one.
    private var slots: [PictureRecord?]
    /// Number of the last picture of each slot; 0 for a slot that never had one.
    private var numbers: [UInt64]
    /// Age of the ring when a picture was last stored, or the age last written.
    package private(set) var age: RingAge
    /// Slots that could not be written since the ring was opened; they are passed over.
    private var badSlots: Set<Int> = []

    /// Opens a ring to write, and gives a new one its shape.
    ///
    /// - Throws: `StorageError`; `.wrongSize` when it has another shape.
    package init(_ storage: any BlockStorage, shape: PictureShape) throws(StorageError) {
        let first = try storage.read(0)
        if let found = PictureShape(first) {
            guard found == shape else {
                throw .wrongSize(
                    path: """
                        the ring of \(found.slotCount) pictures, \
                        where \(shape.slotCount) are wanted
                        """,
                    found: found.blockCount * PictureShape.blockSize,
                    wanted: shape.blockCount * PictureShape.blockSize
                )
            }
        } else {
            try storage.write(0, shape.header)
            try storage.sync()
        }
        (self.storage, self.shape) = (storage, shape)
        (slots, numbers) = try Self.scan(storage, shape)
        age = Self.age(first, slots)
    }

    /// Opens a ring that already has a shape.
    ///
    /// - Throws: `StorageError`; `.absent` while nothing has given it a shape.
    package init(asFound storage: any BlockStorage) throws(StorageError) {
        let first = try storage.read(0)
        guard let shape = PictureShape(first), storage.blockCount >= shape.blockCount else {
            throw .absent(path: "a ring of pictures")
        }
        (self.storage, self.shape) = (storage, shape)
        (slots, numbers) = try Self.scan(storage, shape)
        age = Self.age(first, slots)
    }

    /// The later of the age beside the shape and the ages of the pictures.
    private static func age(_ first: [UInt8], _ slots: [PictureRecord?]) -> RingAge {
        let written = RingAge(first[512...]) ?? .new
        let newest = slots.compactMap { $0 }.max { $0.number < $1.number }
        return written.orLater(newest?.stamp, at: newest?.time)
    }

    private static func scan(
        _ storage: any BlockStorage,
        _ shape: PictureShape
    ) throws(StorageError) -> ([PictureRecord?], [UInt64]) {
        var (slots, numbers): ([PictureRecord?], [UInt64]) = ([], [])
        for slot in 0..<shape.slotCount {
            let bytes = try storage.read(shape.block(ofSlot: slot))
            let record = PictureRecord(bytes)
            slots.append(record.flatMap { $0.byteCount <= shape.pictureMax ? $0 : nil })
            numbers.append(record?.number ?? PictureRecord.emptiedNumber(bytes))
        }
        return (slots, numbers)
    }

    /// All pictures, newest first.
    package var records: [PictureRecord] {
        slots.compactMap { $0 }.sorted { $0.number > $1.number }
    }

    /// The bytes of a picture; nil when it is no longer there, or damaged.
    package func picture(_ record: PictureRecord) throws(StorageError) -> [UInt8]? {
        guard let slot = slots.firstIndex(of: record) else { return nil }
        var bytes: [UInt8] = []
        var block = shape.block(ofSlot: slot)
        while bytes.count < record.byteCount {
            block += 1
            bytes += try storage.read(block)
        }
        bytes.removeLast(bytes.count - record.byteCount)
        return CRC32.checksum(bytes) == record.checksum ? bytes : nil
    }

    /// Stores one picture; it is durable when this returns.
    ///
    /// - Parameters:
    ///   - picture: 1…`shape.pictureMax` bytes.
    ///   - moment: Now; nil gives it no age of its own, as if it were as old as the ring.
    /// - Returns: What is known of it.
    /// - Throws: `StorageError`; every other picture stays, and a slot that failed is passed over.
    @discardableResult
    package func add(
        _ picture: [UInt8],
        of motion: SeenMotion,
        at moment: RingTime? = nil
    ) throws(StorageError) -> PictureRecord {
        precondition((1...shape.pictureMax).contains(picture.count), "does not fit into a slot")
        let newest = numbers.max() ?? 0
        let slot = freeSlot
        let stamp = moment.map { moment in
            PictureRecord.Stamp(
                boot: moment.boot,
                uptime: max(0, moment.uptime.nanoseconds / 1_000_000_000),
                seconds: age.advanced(to: moment).seconds
            )
        }
        let record = PictureRecord(
            number: newest + 1,
            motion: motion,
            picture: picture,
            stamp: stamp
        )
        do {
            try clear(slot)
            try write(picture, after: shape.block(ofSlot: slot))
            try storage.sync()
            try storage.write(shape.block(ofSlot: slot), record.header)
            try storage.sync()
        } catch {
            // A card that is full or read-only says so of every slot.
            if case .failed = error { badSlots.insert(slot) }
            if badSlots.count == shape.slotCount { badSlots = [] }
            throw error
        }
        (slots[slot], numbers[slot]) = (record, record.number)
        age = age.orLater(stamp, at: motion.time)
        return record
    }

    /// Returns an empty slot, else that of the oldest picture.
    private var freeSlot: Int {
        let usable = slots.indices.filter { !badSlots.contains($0) }
        return usable.min { (slots[$0]?.number ?? 0) < (slots[$1]?.number ?? 0) } ?? 0
    }

    /// Removes a picture; its bytes are written over, not only its name.
    ///
    /// - Returns: Whether it was there.
    @discardableResult
    package func delete(_ number: UInt64) throws(StorageError) -> Bool {
        guard let slot = slots.firstIndex(where: { $0?.number == number }), let record = slots[slot]
        else { return false }
        try clear(slot)
        try write([UInt8](repeating: 0, count: record.byteCount), after: shape.block(ofSlot: slot))
        try storage.sync()
        return true
    }

    /// Removes what has become too old by the ring's age, and writes that age down.
    ///
    /// Without pictures nothing is written. A picture from before pictures had an age is also
    /// deleted by its date, each time that the dates of two days agree.
    ///
    /// - Parameters:
    ///   - limit: Days that a picture is kept, from 1.
    /// - Returns: How many.
    @discardableResult
    package func expire(after limit: Int, at moment: RingTime) throws(StorageError) -> Int {
        guard !records.isEmpty else { return 0 }
        let seconds = Int64(limit) * 86_400
        try write(age.advanced(to: moment))
        let old = records.filter { record in
            if let stamp = record.stamp { return age(of: stamp, at: moment) > seconds }
            return age.seconds > seconds || isDated(record, by: seconds)
        }
        for record in old { try delete(record.number) }
        return old.count
    }

    /// How old a picture is, in seconds.
    ///
    /// In the present boot its uptime decides: time without power that only became known now was
    /// before it.
    private func age(of stamp: PictureRecord.Stamp, at moment: RingTime) -> Int64 {
        guard stamp.boot == moment.boot else { return age.seconds - stamp.seconds }
        return moment.uptime.nanoseconds / 1_000_000_000 - stamp.uptime
    }

    private func isDated(_ record: PictureRecord, by seconds: Int64) -> Bool {
        guard let date = age.date, let time = record.time, time >= .plausible else { return false }
        return date - time.nanoseconds / 1_000_000_000 > seconds
    }

    /// Writes the shape's unchanged sector with the age's: each is whole or as before.
    private func write(_ new: RingAge) throws(StorageError) {
        try storage.write(0, shape.header + new.sector)
        try storage.sync()
        age = new
    }

    private func clear(_ slot: Int) throws(StorageError) {
        // The number stays, so that no later picture gets it: a page may still show the old one.
        try storage.write(shape.block(ofSlot: slot), PictureRecord.emptied(numbers[slot]))
        try storage.sync()
        slots[slot] = nil
    }

    private func write(_ bytes: [UInt8], after header: Int) throws(StorageError) {
        var (block, start) = (header + 1, 0)
        while start < bytes.count {
            let end = min(start + PictureShape.blockSize, bytes.count)
            let short = -(end - start) & 511
            try storage.write(block, bytes[start..<end] + [UInt8](repeating: 0, count: short))
            (block, start) = (block + 1, end)
        }
    }
}
