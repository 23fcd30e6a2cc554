/// A key of a route's query, and the values that it accepts.
struct QueryKey: Sendable {
    let name: String
    let schema: JSONSchema
    let isRequired: Bool

    init(_ name: String, _ schema: JSONSchema = .text, isRequired: Bool = false) {
        (self.name, self.schema, self.isRequired) = (name, schema, isRequired)
    }

    /// A whole number in a range.
    static func whole(_ name: String, in range: ClosedRange<Int>) -> QueryKey {
        QueryKey(name, .wholes(range))
    }

    /// One of the texts of an enumeration.
    static func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String,
        of type: Value.Type
    ) -> QueryKey {
        QueryKey(name, .names(type.allCases.map(\.rawValue)))
    }

    /// A key that may come several times.
    static func list(_ name: String, of schema: JSONSchema = .text) -> QueryKey {
        QueryKey(name, .list(schema))
    }

    /// Channels such as `dust/pm25`, of which at least one has to be named.
    static func channels(atMost limit: Int) -> QueryKey {
        QueryKey("channel", .list(.text, atMost: limit), isRequired: true)
    }

    /// A channel such as `dust/pm25`, which has to be named.
    static let channel = QueryKey("channel", isRequired: true)
    /// `next` of the page before.
    static let cursor = QueryKey("cursor")
    /// Items of a page.
    static let limit = whole("limit", in: 1...1_000)
    /// IANA name of a zone; without it the owner's.
    static let zone = QueryKey("zone")
    /// A stretch of time: `from` and `to` as RFC 3339 or seconds since 1970, or `last`.
    static let range = [
        QueryKey("from", .moment), QueryKey("to", .moment),
        QueryKey("last", .pattern("^[1-9][0-9]{0,8}[smhd]$")),
    ]
}

extension WebQuery {
    /// The number of a key; nil when the key is absent.
    ///
    /// - Throws: `Problem` `out-of-range`.
    func integer(_ key: QueryKey) throws -> Int? {
        guard case .wholes(let range) = key.schema else { return nil }
        return try integer(key.name, in: range)
    }
}
