import ControlProtocol

/// The names that this station answers to.
///
/// A page elsewhere can let its own name point at the station's address; a request that comes by
/// such a name is refused.
package struct HostNames: Hashable, Sendable {
    private let names: Set<String>
    /// Names whose variants with a number (`name-2`) a second station of that name gets.
    private let stems: Set<String>

    /// - Parameter names: The station's name and those that its owner added; `localhost` and
    ///   addresses always count, and each name also with `.local`; so does `name-2.local`.
    package init(_ names: [String]) {
        let lower = names.map { $0.lowercased() }
        stems = Set(lower.map { String(Self.stem($0)) })
        self.names = Set(lower + lower.map { $0 + ".local" } + ["localhost"])
    }

    /// - Throws: `Problem` `wrong-host`.
    package func check(_ authority: String?) throws {
        guard let authority, let host = Self.host(authority.lowercased()) else {
            throw Problem(.wrongHost, "a request names the host that it is for")
        }
        guard isOwn(host) else {
            throw Problem(.wrongHost, "it answers to \(names.sorted().joined(separator: ", "))")
        }
    }

    /// Whether a request names a host, and not this station.
    func isForeign(_ authority: String?) -> Bool {
        authority.flatMap { Self.host($0.lowercased()) }.map { !isOwn($0) } ?? false
    }

    private func isOwn(_ host: String) -> Bool {
        names.contains(host) || Self.isAddress(host) || isRenamed(host)
    }

    /// Whether avahi calls this station so, as another one in the network has its name.
    ///
    /// A page elsewhere cannot let such a name point here: `.local` is asked for in the network
    /// itself.
    ///
    /// - Source: avahi, `avahi_alternative_host_name`: `roost-2`, then `roost-3`.
    private func isRenamed(_ host: String) -> Bool {
        guard host.hasSuffix(".local") else { return false }
        let label = host.dropLast(6)
        return Self.stem(label) != label && stems.contains(String(Self.stem(label)))
    }

    /// A name without the number at its end, of at most three digits.
    private static func stem(_ name: some StringProtocol) -> Substring {
        let text = Substring(name)
        guard let hyphen = text.lastIndex(of: "-") else { return text }
        let number = text[text.index(after: hyphen)...]
        let isNumber =
            (1...3).contains(number.utf8.count) && number.utf8.allSatisfy { (0x30...0x39) ~= $0 }
        return isNumber ? text[..<hyphen] : text
    }

    /// Returns the host without the port and without a dot at its end.
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
