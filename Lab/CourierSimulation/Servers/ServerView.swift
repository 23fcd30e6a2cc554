import Core
import Profiles
import RoostCourier

/// View of a request as a server sees it: path, query, fields and body.
package enum ServerView {
    /// Decodes the query of a URL; the last one of several with one name.
    fileprivate static func query(_ url: String) -> [String: String] {
        guard let mark = url.firstIndex(of: "?") else { return [:] }
        return form(String(url[url.index(after: mark)...]))
    }

    /// Decodes the pairs of a form.
    package static func form(_ text: String) -> [String: String] {
        var pairs: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentCoding.decoded(parts[0]) else { continue }
            pairs[name] =
                parts.count == 2
                ? PercentCoding.decoded(parts[1], allowingControls: true) : ""
        }
        return pairs
    }
}

extension OutboundRequest {
    /// Path of the URL as it was sent, without the query.
    package var path: String {
        let url = url.revealed
        guard let start = url.firstRange(of: "://")?.upperBound else { return url }
        let rest = url[start...].drop { $0 != "/" }
        let path = rest.prefix { $0 != "?" && $0 != "#" }
        return path.isEmpty ? "/" : String(path)
    }

    package var query: [String: String] { ServerView.query(url.revealed) }

    /// Returns a header field's value by its name in small letters.
    package func field(_ name: String) -> String? {
        fields.last { $0.name.lowercased() == name }?.value.revealed
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// Members of the body; nil when it is not a JSON object.
    package var json: [String: JSONValue]? {
        guard case .object(let members) = WireJSON.parse(body) else { return nil }
        return members
    }
}
