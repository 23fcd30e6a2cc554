import Core
import Store

/// Latest cursor of each follower of the store, and how much of it is on the card.
struct CursorTable {
    /// Bytes of cursors that the mirror takes between two blocks; beyond it a crash of the process
    /// costs the newest, and a follower that connects again repeats them.
    static let mirrorByteLimit = 32_768

    /// Why a cursor is not kept.
    enum Refusal: Error, Hashable {
        case invalid
        /// The names that there are.
        case tooMany([String])
    }

    private var newest: [String: (cursor: StoreCursor, number: Int64)] = [:]
    /// Number of cursors that this process received.
    private(set) var number: Int64 = 0
    /// Number of the newest cursor on the card.
    private(set) var durable: Int64 = 0
    /// When the last block before the open one was closed: later samples are in none of those.
    ///
    /// nil where that is not known.
    var openSince: MonotonicInstant?
    /// Bytes in the mirror since the last block.
    private var mirroredByteCount = 0

    init(_ found: [StoreCursor] = []) {
        for cursor in found { newest[cursor.name] = (cursor, 0) }
    }

    /// By name.
    var all: [(cursor: StoreCursor, number: Int64)] {
        newest.values.filter { !$0.cursor.blob.isEmpty }
            .sorted { $0.cursor.name < $1.cursor.name }
    }

    /// Remembers a cursor; an empty one gives its name up.
    ///
    /// - Returns: Its number.
    mutating func set(_ name: String, _ blob: [UInt8]) throws(Refusal) -> StoreCursor {
        guard StoreCursor.isValid(name: name, blob: blob) else { throw .invalid }
        let names = all.map(\.cursor.name)
        if !names.contains(name), !blob.isEmpty, names.count >= StoreCursor.countMax {
            throw .tooMany(names)
        }
        number += 1
        let cursor = StoreCursor(name: name, blob: blob)
        newest[name] = blob.isEmpty ? nil : (cursor, number)
        return cursor
    }

    /// Remembers what an earlier process left in the mirror.
    mutating func restore(_ cursor: StoreCursor) {
        newest[cursor.name] = cursor.blob.isEmpty ? nil : (cursor, 0)
    }

    /// Records that a block with the cursors up to a number is on the card.
    mutating func acknowledge(_ number: Int64) {
        durable = max(durable, number)
        mirroredByteCount = 0
    }

    /// Whether the mirror takes so many more bytes.
    mutating func mayMirror(_ byteCount: Int) -> Bool {
        guard mirroredByteCount + byteCount <= Self.mirrorByteLimit else { return false }
        mirroredByteCount += byteCount
        return true
    }
}
