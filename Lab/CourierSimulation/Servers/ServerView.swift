import Profiles
import RoostCourier

/// A request as a server sees it: the parts of its address, its fields and its body.
package enum ServerView {
    /// The query of an address, decoded; of several with one name the last.
    fileprivate static func query(_ url: String) -> [String: String] {
        guard let mark = url.firstIndex(of: "?") else { return [:] }
        return form(String(url[url.index(after: mark)...]))
    }

    /// Pairs as a form sends them.
    package static func form(_ text: String) -> [String: String] {
        var pairs: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = URLText.decoded(parts[0]) else { continue }
            pairs[name] = parts.count == 2 ? URLText.decoded(parts[1]) : ""
        }
        return pairs
    }
}

extension OutboundRequest {
    /// As it was sent, without the query.
    package var path: String {
        let url = url.revealed
        guard let start = url.firstRange(of: "://")?.upperBound else { return url }
        let rest = url[start...].drop { $0 != "/" }
        let path = rest.prefix { $0 != "?" && $0 != "#" }
        return path.isEmpty ? "/" : String(path)
    }

    package var query: [String: String] { ServerView.query(url.revealed) }

    /// The value of a field by its name in small letters.
    package func field(_ name: String) -> String? {
        fields.last { $0.name.lowercased() == name }?.value.revealed
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The body's members; nil when it is no object of JSON.
    package var json: [String: JSONValue]? {
        guard case .object(let members) = WireJSON.parse(body) else { return nil }
        return members
    }
}
