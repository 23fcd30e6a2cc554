/// The names that this station answers to.
///
/// A page elsewhere can let its own name point at the station's address; a request that comes by
/// such a name is refused.
package struct HostNames: Hashable, Sendable {
    private let names: Set<String>

    /// - Parameter names: The station's name and those that its owner added; `localhost` and
    ///   addresses always count, and each name also with `.local`.
    package init(_ names: [String]) {
        let lower = names.map { $0.lowercased() }
        self.names = Set(lower + lower.map { $0 + ".local" } + ["localhost"])
    }

    /// - Throws: `Problem` `wrong-host`.
    package func check(_ authority: String?) throws {
        guard let authority, let host = Self.host(authority.lowercased()) else {
            throw Problem(.wrongHost, "a request names the host that it is for")
        }
        guard names.contains(host) || Self.isAddress(host) else {
            throw Problem(.wrongHost, "it answers to \(names.sorted().joined(separator: ", "))")
        }
    }

    /// Without the port and a dot at the end.
    private static func host(_ authority: String) -> String? {
        var rest = authority[...]
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            let port = rest[rest.index(after: end)...]
            // Nothing but a port may follow: `[::1].example.org` is a name.
            guard port.isEmpty || port.first == ":" && UInt16(port.dropFirst()) != nil else {
                return nil
            }
            return String(rest[...end])
        }
        if let colon = rest.firstIndex(of: ":") {
            guard UInt16(rest[rest.index(after: colon)...]) != nil else { return nil }
            rest = rest[..<colon]
        }
        if rest.hasSuffix(".") { rest.removeLast() }
        return rest.isEmpty ? nil : String(rest)
    }

    private static func isAddress(_ host: String) -> Bool {
        if host.hasPrefix("[") { return host.allSatisfy { $0.isHexDigit || "[]:.%".contains($0) } }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}
