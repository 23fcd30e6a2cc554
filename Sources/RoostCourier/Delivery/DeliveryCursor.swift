/// Kind and version of a cursor: its first number.
///
/// A changed list of fields gets a new number.
enum CursorKind: UInt64 {
    case samples = 1
    case files, drives, pushes, notices

    /// Number of the same fields in earlier programs.
    ///
    /// Notices had the drives' number. All other numbers are as they always were, so that a station
    /// that goes back to the version before keeps its place.
    var former: UInt64 { self == .notices ? CursorKind.drives.rawValue : rawValue }
}

/// Delivery progress of one target or receiver, as bytes that the station keeps for it.
///
/// The bytes are unsigned LEB128: the number of the kind, then its fields in their order.
protocol DeliveryCursor: Sendable {
    static var kind: CursorKind { get }

    init()

    /// Writes the fields, or reads them.
    mutating func code(_ fields: inout CursorFields)
}

extension DeliveryCursor {
    func encode() -> [UInt8] { written() }

    /// The fields with the number of the kind before them.
    func written() -> [UInt8] {
        var (cursor, fields) = (self, CursorFields())
        var number = Self.kind.rawValue
        fields.number(&number)
        cursor.code(&fields)
        return fields.bytes
    }

    /// Reads a cursor.
    init(_ bytes: [UInt8]) throws(CursorError) {
        self.init()
        try read(bytes) { $0.code(&$1) }
    }

    /// Reads the fields by a function of its own, which is otherwise `code`.
    mutating func read(
        _ bytes: [UInt8],
        _ code: (inout Self, inout CursorFields) -> Void
    ) throws(CursorError) {
        var (fields, number) = (CursorFields(reading: bytes), UInt64(0))
        fields.number(&number)
        guard !fields.isMalformed else { throw .malformed }
        guard [Self.kind.rawValue, Self.kind.former].contains(number) else {
            throw .otherVersion(number)
        }
        code(&self, &fields)
        guard !fields.isMalformed, fields.isAtEnd else { throw .malformed }
    }
}

extension CursorStore {
    /// Reads the cursor of a target.
    ///
    /// A cursor that cannot be read is kept as `TARGET.lost`, and the target begins anew.
    ///
    /// - Returns: The cursor, or why it cannot be read; neither where there is none.
    /// - Throws: Errors of asking the station.
    func cursor<Cursor: Sendable>(
        of target: String,
        _ read: @Sendable ([UInt8]) throws(CursorError) -> Cursor
    ) async throws -> (found: Cursor?, lost: CursorError?) {
        guard let bytes = try await cursor(of: target), !bytes.isEmpty else { return (nil, nil) }
        do throws(CursorError) { return (try read(bytes), nil) } catch {
            try await keepLost(bytes, of: target)
            return (nil, error)
        }
    }
}

extension CursorError {
    /// Whether the cursor is of another kind of target, and so says nothing about this one.
    var isOfOtherKind: Bool {
        guard case .otherVersion(let number) = self else { return false }
        return CursorKind(rawValue: number) != nil
    }
}
