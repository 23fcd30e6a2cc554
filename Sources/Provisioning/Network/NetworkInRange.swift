import Core

/// A Wi-Fi network that the radio sees.
package struct NetworkInRange: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable, CaseIterable {
        case open, wpa2, wpa3
        /// WPA2 and WPA3.
        case mixed
        /// A network of a company, with a name for each person.
        case enterprise
        /// WEP or the first WPA, which are not safe any more.
        case old
        /// A form that the station does not know.
        case other
    }

    /// Networks that are kept of one look, the strongest ones.
    package static let countMax = 64

    /// The name's bytes as hexadecimal digits.
    package let network: String
    /// dBm: −30 is near, −90 hardly there.
    package let signal: Int
    package let kind: Kind

    package init(network: String, signal: Int, kind: Kind) {
        (self.network, self.signal, self.kind) = (network, signal, kind)
    }

    /// Networks in range, the strongest first; one that says no name is left out.
    ///
    /// - Source: iw 6.9, `print_ies`; `iw dev wlan0 scan`.
    /// - Parameter scan: Its output; other lines between have no effect.
    package static func list(_ scan: String) -> [NetworkInRange] {
        var (best, draft) = ([[UInt8]: NetworkInRange](), Draft())
        func keep() {
            guard let found = draft.network, !draft.name.allSatisfy({ $0 == 0 }),
                best[draft.name].map({ $0.signal < found.signal }) ?? true
            else { return }
            best[draft.name] = found
        }
        for line in scan.utf8.split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: "BSS ".utf8) {
                keep()
                draft = Draft()
                draft.isNetwork = true
            } else {
                draft.receive(line)
            }
        }
        keep()
        let sorted = best.values.sorted { ($1.signal, $0.network) < ($0.signal, $1.network) }
        return Array(sorted.prefix(countMax))
    }

    /// What is known of the network whose lines are read.
    private struct Draft {
        /// Parts of the description that a line belongs to.
        private enum Part { case none, robust, first }

        var isNetwork = false
        var name: [UInt8] = []
        private var signal: Int?
        private var isPrivate = false
        private var part = Part.none
        private var hasFirst = false
        private var suites: Set<Substring>?

        mutating func receive(_ line: Substring.UTF8View) {
            if line.starts(with: "\tSSID: ".utf8) {
                name = Array(WirelessEvidence.unescaped(line.dropFirst(7)).name.prefix(32))
                return
            }
            let text = Substring(line).drop { $0 == "\t" }
            // Sections begin with one tab; what follows a section is set in by two.
            if line.starts(with: "\t".utf8), !line.starts(with: "\t\t".utf8) { part = .none }
            if text.hasPrefix("RSN:") { (part, suites) = (.robust, suites ?? []) }
            if text.hasPrefix("WPA:") { (part, hasFirst) = (.first, true) }
            if text.hasPrefix("signal: ") {
                let number = text.dropFirst(8).prefix { $0 == "-" || $0.isNumber }
                signal = Int(number).flatMap { (-200...100).contains($0) ? $0 : nil }
            } else if text.hasPrefix("capability: ") {
                isPrivate = text.split(separator: " ").contains("Privacy")
            } else if part == .robust, let range = text.firstRange(of: "Authentication suites: ") {
                suites = Set(text[range.upperBound...].split(separator: " "))
            }
        }

        var network: NetworkInRange? {
            guard isNetwork, !name.isEmpty else { return nil }
            return NetworkInRange(
                network: Hexadecimal.text(name),
                signal: signal ?? -100,
                kind: kind
            )
        }

        private var kind: Kind {
            guard let suites else { return hasFirst || isPrivate ? .old : .open }
            let text = suites.joined(separator: " ")
            switch (text.contains("PSK"), suites.contains("SAE") || suites.contains("FT/SAE")) {
            case (true, true): return .mixed
            case (true, false): return .wpa2
            case (false, true): return .wpa3
            case (false, false): return text.contains("802.1X") ? .enterprise : .other
            }
        }
    }
}
