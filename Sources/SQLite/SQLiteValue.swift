/// One value of SQLite's five storage classes.
package enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

/// A type that is bound to a statement and read from a column.
package protocol SQLiteConvertible {
    var sqliteValue: SQLiteValue { get }

    /// Converts a column; nil for another storage class or a value out of range.
    init?(_ value: SQLiteValue)
}

extension SQLiteValue: SQLiteConvertible {
    package var sqliteValue: SQLiteValue { self }

    package init?(_ value: SQLiteValue) { self = value }
}

extension Int64: SQLiteConvertible {
    package var sqliteValue: SQLiteValue { .integer(self) }

    package init?(_ value: SQLiteValue) {
        guard case .integer(let integer) = value else { return nil }
        self = integer
    }
}

extension Int: SQLiteConvertible {
    package var sqliteValue: SQLiteValue { .integer(Int64(self)) }

    /// Converts an integer; nil beyond the range of `Int`, which has 32 bits on a Pi Zero.
    package init?(_ value: SQLiteValue) {
        guard case .integer(let integer) = value else { return nil }
        self.init(exactly: integer)
    }
}

extension Bool: SQLiteConvertible {
    package var sqliteValue: SQLiteValue { .integer(self ? 1 : 0) }

    package init?(_ value: SQLiteValue) {
        guard case .integer(let integer) = value, integer == 0 || integer == 1 else { return nil }
        self = integer == 1
    }
}

extension Double: SQLiteConvertible {
    /// SQLite stores NaN as NULL.
    package var sqliteValue: SQLiteValue { .real(self) }

    /// Converts a real or an integer, as SQLite does; integers beyond ±2⁵³ are rounded.
    package init?(_ value: SQLiteValue) {
        switch value {
        case .real(let real): self = real
        case .integer(let integer): self = Double(integer)
        case .null, .text, .blob: return nil
        }
    }
}

extension String: SQLiteConvertible {
    package var sqliteValue: SQLiteValue { .text(self) }

    package init?(_ value: SQLiteValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
}

extension [UInt8]: SQLiteConvertible {
    package var sqliteValue: SQLiteValue { .blob(self) }

    package init?(_ value: SQLiteValue) {
        guard case .blob(let bytes) = value else { return nil }
        self = bytes
    }
}
