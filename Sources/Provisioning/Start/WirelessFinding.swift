import HardwareIO
import Profiles

/// The reason why a station is not in its owner's Wi-Fi.
package struct WirelessFinding: Hashable, Sendable {
    package enum Cause: Hashable, Sendable {
        case wrongPassword
        /// No network with this name is in range; a similar name may be.
        case absent(similar: String?)
        /// The network is in range, and the station is not in it.
        case refused
        /// The station is in the network, whose router gives it no address.
        case noAddress
    }

    /// Name of the file in `/run` with the finding, for the station's own faults.
    package static let fileName = "roost-wifi.txt"
    private static let mark = "Wi-Fi: "

    package let cause: Cause
    package let network: WirelessConfiguration.Network

    /// Finds the reason; nil where the station is in its Wi-Fi, or has none.
    ///
    /// - Parameters:
    ///   - evidence: What the system says, as `WirelessEvidence` reads it.
    ///   - hasAddress: Whether the station has an address there once it is joined.
    package init?(_ evidence: String, configuration: String, hasAddress: Bool = true) {
        guard let network = WirelessConfiguration.network(of: configuration) else { return nil }
        let seen = WirelessEvidence(evidence, of: network.name)
        guard !seen.isJoined || !hasAddress else { return nil }
        self.network = network
        if seen.isJoined {
            cause = .noAddress
        } else if seen.deniesPassword {
            cause = .wrongPassword
        } else if seen.namesInRange.contains(network.name) {
            cause = .refused
        } else {
            let names = seen.namesInRange.filter { !$0.isEmpty }
                .map { String(decoding: $0, as: UTF8.self) }
            let name = String(decoding: network.name, as: UTF8.self)
            cause = .absent(similar: Spelling.nearest(to: name, among: names))
        }
    }

    /// The reason and what to do, on one line.
    package var line: String {
        let name = ProvisionProblems.shown(String(decoding: network.name, as: UTF8.self))
        let words =
            switch cause {
            case .wrongPassword:
                "\(name) does not accept the password. Write the router's on the page Network, "
                    + "or into \(StationFile.name) as wifi-password="
            case .absent(let similar):
                "\(name) is not in range\(Self.other(similar)). Choose it on the page "
                    + "Network, or write its name into \(StationFile.name) as the router has it; "
                    + "a Pi 3 and a Zero 2 W may see 2.4 GHz alone"
            case .refused where network.isOpen:
                "\(name) does not let the station in without a password. Write it on the page "
                    + "Network, or into \(StationFile.name) as wifi-password="
            case .refused:
                "\(name) is in range and does not let the station in. See whether the router takes "
                    + "new devices, by a password with WPA2 or WPA3"
            case .noAddress:
                "\(name) lets the station in and gives it no address. See whether the router's "
                    + "DHCP is on and has addresses left"
            }
        return "\(Self.mark)\(words)."
    }

    private static func other(_ similar: String?) -> String {
        similar.map { "; \(ProvisionProblems.shown($0)) is" } ?? ""
    }

    /// Returns the line of `roost-said.txt` about the Wi-Fi.
    package static func line(in said: String) -> String? {
        said.split(whereSeparator: \.isNewline).first { $0.hasPrefix(mark) }
            .map { PlainText.shown($0, limit: 300) }
    }
}
