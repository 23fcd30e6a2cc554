import Core

/// The query of a request, each key at most so often as the route allows.
package struct WebQuery: Hashable, Sendable {
    /// The curves of 40 channels, and what goes with them.
    static let pairMax = 64

    private let values: [String: [String]]

    package init(_ values: [String: [String]]) { self.values = values }

    /// Reads the part of a target behind `?`.
    ///
    /// - Throws: `Problem` `bad-request` for broken escapes and more than `pairMax` pairs.
    package init(parsing text: some StringProtocol) throws {
        var values: [String: [String]] = [:]
        let pairs = text.split(separator: "&")
        guard pairs.count <= Self.pairMax else {
            throw Problem.badRequest("a query has at most \(Self.pairMax) pairs")
        }
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let key = PercentCoding.decoded(parts[0], plusIsSpace: true),
                let value = PercentCoding.decoded(parts.dropFirst().first ?? "", plusIsSpace: true)
            else { throw Problem.badRequest("the query has a broken percent escape") }
            values[key, default: []].append(value)
        }
        self.values = values
    }

    package var keys: Set<String> { Set(values.keys) }

    /// All values of a key, in order.
    package func all(_ key: String) -> [String] { values[key] ?? [] }

    /// The only value of a key; nil when it is absent.
    ///
    /// - Throws: `Problem` `bad-request` when the key comes twice.
    package func one(_ key: String) throws -> String? {
        let all = all(key)
        guard all.count <= 1 else {
            throw Problem.badRequest("\(key) is given \(all.count) times, and once is allowed")
        }
        return all.first
    }

    /// A whole number in a range; nil when the key is absent.
    ///
    /// - Throws: `Problem` `out-of-range`.
    package func integer(_ key: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = try one(key) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw Problem.outOfRange(
                key,
                "\(key) is \(range.lowerBound) to \(range.upperBound), not \(text.prefix(40))"
            )
        }
        return number
    }

    /// Refuses keys that the route does not know.
    ///
    /// - Throws: `Problem` `unknown-field`.
    package func allow(only known: Set<String>) throws {
        for key in keys.sorted() where !known.contains(key) {
            let names = known.sorted().joined(separator: ", ")
            throw Problem.unknownField(
                key,
                known.isEmpty ? "this address takes no query" : "it takes \(names)"
            )
        }
    }
}
