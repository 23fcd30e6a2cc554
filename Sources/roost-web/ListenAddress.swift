import ArgumentParser
import RoostWeb

/// An address and a port as people type them: `0.0.0.0:8088`, `[::1]:8088`.
enum ListenAddress {
    static func socket(_ text: String, of option: String) throws -> WebServer.Socket {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count >= 2, let port = parts.last.flatMap({ UInt16($0) }) else {
            throw ValidationError("\(option) is an address and a port, as 0.0.0.0:8088")
        }
        let host = parts.dropLast().joined(separator: ":")
        return .address(host: host.filter { !"[]".contains($0) }, port: Int(port))
    }

    /// Whether only programs of this computer reach it.
    static func isLoopback(_ host: String) -> Bool {
        if ["::1", "localhost"].contains(host) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
