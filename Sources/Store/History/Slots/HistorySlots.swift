import Core
import SQLite

/// The slots of one ring in the database, read and overwritten in place.
final class HistorySlots: SlotHeaders {
    let ring: HistoryRing
    let count: Int
    private let connection: Connection
    private let isWritable: Bool
    private var blob: Blob?

    init(_ ring: HistoryRing, in connection: Connection, isWritable: Bool) throws(StoreError) {
        self.ring = ring
        self.connection = connection
        self.isWritable = isWritable
        do {
            count = try HistoryCatalog(connection: connection).slotCount(of: ring)
        } catch { throw .database(error) }
        guard count > 0 else {
            throw .database(connection.damaged("the ring \(ring.table) has no slots"))
        }
    }

    /// The slots of a ring whose count may not be known, for reading.
    init(_ ring: HistoryRing, in connection: Connection, count: Int) {
        (self.ring, self.connection, self.count) = (ring, connection, count)
        isWritable = false
    }

    var places: Range<Int> { 0..<count }

    func header(of slot: Int) throws(StoreError) -> SlotHeader {
        SlotHeader(try bytes(of: slot, count: SlotHeader.byteCount))
    }

    /// Reads the first bytes of a slot; for a reader a slot on a damaged page has none.
    private func bytes(of slot: Int, count: Int) throws(StoreError) -> [UInt8] {
        do throws(StoreError) {
            return try withBlob(slot) { (blob) throws(SQLiteError) in try blob.read(count: count) }
        } catch {
            guard !isWritable, case .database(let cause) = error, cause.isCorrupt else {
                throw error
            }
            return []
        }
    }

    /// The whole slot; its contents are empty when they fail their check.
    func read(_ slot: Int) throws(StoreError) -> HistorySlot {
        let bytes = try bytes(of: slot, count: ring.slotSize)
        let header = SlotHeader(bytes)
        guard !header.isBroken, (0...ring.capacity).contains(header.used) else {
            return HistorySlot(header: header)
        }
        let payload = bytes[SlotHeader.byteCount..<SlotHeader.byteCount + header.used]
        guard CRC32C.of(payload) == header.checksum else { return HistorySlot(header: header) }
        return HistorySlot(header: header, payload: Array(payload))
    }

    func write(_ slot: HistorySlot, at index: Int) throws(StoreError) {
        precondition(slot.payload.count <= ring.capacity, "a slot never overflows")
        var header = slot.header
        header.used = slot.payload.count
        header.checksum = CRC32C.of(slot.payload)
        let bytes = header.bytes + slot.payload
        try withBlob(index) { (blob) throws(SQLiteError) in try blob.write(bytes) }
    }

    /// Closes the blob: an open one holds a read lock.
    func rest() { blob = nil }

    private func withBlob<Value>(
        _ slot: Int,
        _ body: (Blob) throws(SQLiteError) -> Value
    ) throws(StoreError) -> Value {
        do throws(SQLiteError) {
            guard (0..<count).contains(slot) else {
                throw connection.damaged("\(ring.table) has no slot \(slot)")
            }
            if let blob {
                try blob.reopen(at: Int64(slot) + 1)
                return try body(blob)
            }
            let opened = try connection.blob(
                table: ring.table,
                column: "data",
                row: Int64(slot) + 1,
                isWritable: isWritable
            )
            blob = opened
            return try body(opened)
        } catch {
            blob = nil
            throw .database(error)
        }
    }
}

extension Connection {
    /// SQLITE_CORRUPT (11): the file lacks required content.
    func damaged(_ text: String) -> SQLiteError {
        SQLiteError(code: 11, extendedCode: 11, message: text, sql: nil, path: path)
    }

    /// SQLITE_READONLY (8): this file is not ours to write.
    func notWritable(_ text: String) -> SQLiteError {
        SQLiteError(code: 8, extendedCode: 8, message: text, sql: nil, path: path)
    }
}
