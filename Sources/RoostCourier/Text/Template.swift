import Core
import StoreQueries

/// Text with placeholders for values: `{"text": {{message|cut:4000|json}}}`.
///
/// A place is a name and filters from left to right. There is no code: no conditions, no loops.
///
/// Bounds: 16 KiB of template, 64 places, 8 KiB of result.
package struct Template: Hashable, Sendable {
    /// Reason why a text is not a valid template, for people.
    package struct Mistake: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    private enum Piece: Hashable, Sendable {
        case text(String)
        case place(name: String, filters: [TemplateFilter])
    }

    static let sourceLimit = 16 << 10
    static let placeLimit = 64
    /// Bytes of a result at most.
    static let resultLimit = 8 << 10

    private let pieces: [Piece]

    /// - Parameters:
    ///   - names: The names that it may use.
    /// - Throws: `Mistake` for another name, an unknown filter, a place without its end.
    package init(_ source: String, names: Set<String>) throws(Mistake) {
        guard source.utf8.count <= Self.sourceLimit else {
            throw Mistake(description: "a template has at most \(Self.sourceLimit) bytes")
        }
        var pieces: [Piece] = []
        var rest = Substring(source)
        while let start = rest.firstRange(of: "{{") {
            guard let end = rest[start.upperBound...].firstRange(of: "}}") else {
                throw Mistake(description: "\"{{\" without \"}}\"")
            }
            pieces.append(.text(String(rest[..<start.lowerBound])))
            let place = rest[start.upperBound..<end.lowerBound]
            pieces.append(try Self.place(place, names))
            rest = rest[end.upperBound...]
        }
        pieces.append(.text(String(rest)))
        guard pieces.count <= 2 * Self.placeLimit + 1 else {
            throw Mistake(description: "a template has at most \(Self.placeLimit) places")
        }
        self.pieces = pieces
    }

    private static func place(
        _ text: Substring,
        _ names: Set<String>
    ) throws(Mistake) -> Piece {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        let name = String(parts[0]).trimming()
        guard names.contains(name) else {
            let known = names.sorted().joined(separator: ", ")
            throw Mistake(description: "no value is called \"\(name)\"; there are \(known)")
        }
        var filters: [TemplateFilter] = []
        for part in parts.dropFirst() {
            guard let filter = TemplateFilter(String(part)) else {
                throw Mistake(description: "\"\(part)\" is no filter; \(TemplateFilter.list)")
            }
            filters.append(filter)
        }
        return .place(name: name, filters: filters)
    }

    /// Returns the text with values in place of the placeholders.
    ///
    /// - Parameters:
    ///   - values: By name; a name without a value is empty.
    /// - Returns: At most `resultLimit` bytes; the rest is cut off.
    func render(_ values: [String: TemplateValue], in zone: Zone) -> MaskedText {
        var (revealed, shown) = ("", "")
        for piece in pieces {
            switch piece {
            case .text(let text):
                revealed += text
                shown += text
            case .place(let name, let filters):
                let value = values[name] ?? .none
                revealed += Self.text(value, filters, zone, isShown: false)
                shown += Self.text(value, filters, zone, isShown: true)
            }
        }
        return MaskedText(
            secret: TemplateFilter.cut(revealed, Self.resultLimit),
            shown: TemplateFilter.cut(shown, Self.resultLimit)
        )
    }

    private static func text(
        _ value: TemplateValue,
        _ filters: [TemplateFilter],
        _ zone: Zone,
        isShown: Bool
    ) -> String {
        var value = value
        if case .secret(let secret) = value {
            value = .text(isShown ? Secret.mask : secret.reveal())
        }
        // The mask stays readable in a URL.
        let isMask = isShown && value == .text(Secret.mask)
        for filter in filters where !(isMask && filter == .url) {
            value = filter.apply(value, zone)
        }
        return TemplateFilter.plain(value)
    }
}
