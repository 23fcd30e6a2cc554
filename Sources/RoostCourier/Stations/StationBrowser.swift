/// Looks for other stations and servers on the local network.
package protocol StationBrowser: Sendable {
    /// Searches once, for a few seconds at most.
    ///
    /// - Parameter type: As `_roost._tcp`.
    /// - Throws: `StationSearchError`; `CancellationError`.
    func browse(_ type: String) async throws -> StationSearch

    /// Looks up the IPv4 addresses of hosts that a search named.
    ///
    /// - Parameter hosts: Names such as `attic.local`, none of which begins with a hyphen.
    /// - Returns: The output of avahi-resolve; empty where it is not installed.
    /// - Throws: `StationSearchError`; `CancellationError`.
    func resolve(_ hosts: [String]) async throws -> [UInt8]
}

/// Result of a search for services of one type.
package struct StationSearch: Hashable, Sendable {
    /// Output of avahi-browse.
    package let output: [UInt8]
    /// Addresses of this computer: a service there is this station itself.
    package let ownAddresses: Set<String>

    package init(_ output: [UInt8], ownAddresses: Set<String> = []) {
        (self.output, self.ownAddresses) = (output, ownAddresses)
    }
}

package enum StationSearchError: Error, Hashable, Sendable {
    /// The program is not installed.
    case noProgram
    case failed(String)
}
