import Core
import Store

/// The `ETag` of an export: a hash of its content, and its end.
///
/// A client that comes back for the rest of an export gets the same end.
struct ExportTag: Hashable, Sendable, CustomStringConvertible {
    /// A position in the order of boots.
    struct Position: Hashable, Comparable, Sendable {
        let boot: UInt32
        /// Tenths of a second since the boot.
        let tick: Int64

        static func < (left: Position, right: Position) -> Bool {
            (left.boot, left.tick) < (right.boot, right.tick)
        }
    }

    enum End: Hashable, Sendable {
        /// Tenths of a second since 1970.
        case wall(Int64)
        /// The last sample of an export without a range, which includes samples without a date.
        case position(Position)
    }

    let content: UInt64
    /// End of the export; nil for an empty one.
    let end: End?

    init(content: UInt64, end: End?) { (self.content, self.end) = (content, end) }

    /// Reads one; nil for text that is none.
    init?(_ text: String) {
        guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return nil }
        let parts = text.dropFirst().dropLast().split(
            separator: ".",
            omittingEmptySubsequences: false
        )
        guard let first = parts.first, let content = UInt64(first, radix: 36) else { return nil }
        self.content = content
        let numbers = parts.dropFirst().map { Int64($0, radix: 36) }
        switch (numbers.count, numbers.first ?? nil, numbers.last ?? nil) {
        case (0, _, _): end = nil
        case (1, let tenths?, _): end = .wall(tenths)
        case (2, let boot?, let tick?):
            guard let boot = UInt32(exactly: boot) else { return nil }
            end = .position(Position(boot: boot, tick: tick))
        default: return nil
        }
    }

    var description: String {
        let numbers: [Int64] =
            switch end {
            case nil: []
            case .wall(let tenths): [tenths]
            case .position(let position): [Int64(position.boot), position.tick]
            }
        let words = [String(content, radix: 36)] + numbers.map { String($0, radix: 36) }
        return "\"\(words.joined(separator: "."))\""
    }
}

/// A hash that is the same in every process: FNV-1a over 64 bits.
struct StableHash {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func mix(_ text: String) {
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
        value = (value ^ 0xFF) &* 0x100_0000_01b3
    }

    mutating func mix(_ number: Int64) {
        var rest = UInt64(bitPattern: number)
        for _ in 0..<8 {
            value = (value ^ (rest & 0xFF)) &* 0x100_0000_01b3
            rest >>= 8
        }
    }
}
