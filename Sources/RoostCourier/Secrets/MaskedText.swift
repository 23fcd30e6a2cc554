/// A text that may hold secrets: one form to send, one to show.
///
/// Written as a string interpolation: `"https://example.org/bot\(token)/send"`, where `token` is a
/// `Secret`.
package struct MaskedText: Hashable, Sendable, ExpressibleByStringInterpolation {
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var revealed = ""
        fileprivate var shown = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { append(literal) }

        package mutating func appendInterpolation(_ secret: Secret) {
            revealed += secret.reveal()
            shown += Secret.mask
        }

        package mutating func appendInterpolation(_ text: MaskedText) {
            revealed += text.revealed
            shown += text.shown
        }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            append(value.description)
        }

        private mutating func append(_ text: String) {
            revealed += text
            shown += text
        }
    }

    /// Text that is sent.
    package let revealed: String
    /// Text that logs, events, reports and dry runs show.
    package let shown: String

    package init(stringInterpolation: StringInterpolation) {
        (revealed, shown) = (stringInterpolation.revealed, stringInterpolation.shown)
    }

    package init(stringLiteral value: String) { self.init(value) }

    /// A text without a secret.
    package init(_ plain: String) { (revealed, shown) = (plain, plain) }

    /// Makes a text that is a secret as a whole, or was made of one, such as an encoded password.
    package init(secret revealed: String, shown: String = Secret.mask) {
        (self.revealed, self.shown) = (revealed, shown)
    }

    /// Secrets that `shown` hides: the parts of `revealed` at the places of the mask.
    package var secrets: [String] {
        let parts = shown.split(separator: Secret.mask, omittingEmptySubsequences: false)
        guard parts.count > 1, let first = parts.first, revealed.hasPrefix(first) else { return [] }
        var (secrets, rest) = ([String](), revealed.dropFirst(first.count))
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let place = rest.firstRange(of: part) else { break }
            secrets.append(String(rest[..<place.lowerBound]))
            rest = rest[place.upperBound...]
        }
        if let last = parts.last, rest.hasSuffix(last) { rest = rest.dropLast(last.count) }
        return (secrets + [String(rest)]).filter { !$0.isEmpty }
    }
}

extension MaskedText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { shown }
    package var debugDescription: String { shown }
    package var customMirror: Mirror { Mirror(self, children: ["shown": shown]) }
}
