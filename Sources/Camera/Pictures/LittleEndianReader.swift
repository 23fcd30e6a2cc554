/// Reads numbers from bytes, one behind the other; beyond the end all are zero.
struct LittleEndianReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func read(_ count: Int) -> ArraySlice<UInt8> {
        let taken = rest.prefix(count)
        rest = rest.dropFirst(count)
        return taken
    }

    mutating func number(_ count: Int) -> UInt64 {
        read(count).enumerated().reduce(0) { $0 | UInt64($1.element) << (8 * UInt64($1.offset)) }
    }

    /// Eight bytes with a sign.
    mutating func integer() -> Int64 { Int64(bitPattern: number(8)) }
}

extension [UInt8] {
    mutating func append(littleEndian value: UInt64, _ count: Int) {
        for place in 0..<count { append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
    }
}
