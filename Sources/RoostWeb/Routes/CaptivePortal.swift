import FileIO
import HTTPTypes

/// Leads a phone in the station's access point to the page.
///
/// As it joins a network, a phone asks a server of its maker for a page over plain HTTP: Android
/// `/generate_204`, Apple `/hotspot-detect.html`, Windows `/connecttest.txt`, GNOME
/// `/check_network_status.txt`. In the access point each name is the station's address. A redirect
/// in place of what the phone expects has it open the page by itself.
struct CaptivePortal: Sendable {
    private let hosts: HostNames
    /// The station's address in its access point; nil where there is none now.
    private let address: @Sendable () -> String?

    init(_ hosts: HostNames) {
        self.init(hosts) { try? DirectNetwork.accessPoint() }
    }

    init(_ hosts: HostNames, address: @escaping @Sendable () -> String?) {
        (self.hosts, self.address) = (hosts, address)
    }

    /// - Returns: Nil for a request that is answered as elsewhere.
    func answer(_ head: Gate.Head) -> WebResponse? {
        guard head.scheme == "http", [.get, .head].contains(head.method),
            hosts.isForeign(head.authority), let own = address(), isBeside(own, head.peer)
        else { return nil }
        return WebResponse(
            .found,
            headers: [.location: "http://\(own)/", .cacheControl: "no-store"]
        )
    }

    /// Whether the other end is another machine in the access point's network, a /24.
    private func isBeside(_ own: String, _ peer: PeerAddress) -> Bool {
        let mapped = "::ffff:"
        let text = peer.text.lowercased()
        let other = text.hasPrefix(mapped) ? text.dropFirst(mapped.utf8.count) : text[...]
        let (ours, theirs) = (own.split(separator: "."), other.split(separator: "."))
        return ours.count == 4 && theirs.count == 4 && ours.dropLast() == theirs.dropLast()
            && ours.last != theirs.last
    }
}
