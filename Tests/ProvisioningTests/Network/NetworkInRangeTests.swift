import Core
import Testing

@testable import Provisioning

@Suite struct NetworkInRangeTests {
    /// As iw 6.9 writes it.
    private static let scan = """
        BSS 02:00:00:00:01:00(on wlan0)
        \tlast seen: 1234.567s [boottime]
        \tTSF: 1700000000 usec (0d, 00:28:20)
        \tfreq: 2437.0
        \tbeacon interval: 100 TUs
        \tcapability: ESS Privacy ShortSlotTime (0x0411)
        \tsignal: -41.00 dBm
        \tSSID: M\\xc3\\xbcller-Netz
        \tRSN:\t * Version: 1
        \t\t * Group cipher: CCMP
        \t\t * Pairwise ciphers: CCMP
        \t\t * Authentication suites: PSK
        \t\t * Capabilities: 1-PTKSA-RC 1-GTKSA-RC (0x0000)
        BSS 02:00:00:00:02:00(on wlan0) -- associated
        \tcapability: ESS Privacy (0x0011)
        \tsignal: -60.00 dBm
        \tSSID: box
        \tRSN:\t * Version: 1
        \t\t * Authentication suites: PSK SAE
        BSS 02:00:00:00:02:01(on wlan0)
        \tsignal: -52.00 dBm
        \tSSID: box
        \tRSN:\t * Version: 1
        \t\t * Authentication suites: SAE
        BSS 02:00:00:00:03:00(on wlan0)
        \tcapability: ESS (0x0001)
        \tsignal: -80.00 dBm
        \tSSID: Caf\\xe9
        BSS 02:00:00:00:04:00(on wlan0)
        \tcapability: ESS Privacy (0x0011)
        \tsignal: -81.00 dBm
        \tSSID: wep
        BSS 02:00:00:00:05:00(on wlan0)
        \tcapability: ESS Privacy (0x0011)
        \tsignal: -82.00 dBm
        \tSSID: first
        \tWPA:\t * Version: 1
        \t\t * Authentication suites: PSK
        BSS 02:00:00:00:06:00(on wlan0)
        \tsignal: -83.00 dBm
        \tSSID: firm
        \tRSN:\t * Version: 1
        \t\t * Authentication suites: IEEE 802.1X
        BSS 02:00:00:00:07:00(on wlan0)
        \tsignal: -84.00 dBm
        \tSSID: owe
        \tRSN:\t * Version: 1
        \t\t * Authentication suites: OWE
        BSS 02:00:00:00:08:00(on wlan0)
        \tsignal: -30.00 dBm
        \tSSID: \\x00\\x00\\x00
        BSS 02:00:00:00:09:00(on wlan0)
        \tsignal: -30.00 dBm
        \tSSID:

        """

    @Test func listsTheStrongestFirstWithTheirKinds() {
        let found = NetworkInRange.list(Self.scan)
        let shown = found.map {
            String(decoding: Hexadecimal.bytes($0.network) ?? [], as: UTF8.self)
        }
        #expect(shown == ["Müller-Netz", "box", "Caf\u{FFFD}", "wep", "first", "firm", "owe"])
        #expect(found.map(\.kind) == [.wpa2, .wpa3, .open, .old, .old, .enterprise, .other])
        #expect(found.map(\.signal) == [-41, -52, -80, -81, -82, -83, -84])
    }

    @Test func bothKindsOfPasswordAreMixed() {
        let both = Self.scan.replacing("-52.00", with: "-90.00")
        #expect(NetworkInRange.list(both)[1].kind == .mixed)
    }

    /// A name is a name, also where it looks like another line of the list.
    @Test func keepsNamesOf32BytesThatAreNoText() {
        var random = SplitMix64(seed: 58)
        for _ in 0..<500 {
            let name = (0..<32).map { _ in UInt8.random(in: 1...255, using: &random) }
            let escaped = name.map { "\\x" + Hexadecimal.text([$0]) }.joined()
            let scan = "BSS 02:00:00:00:01:00(on wlan0)\n\tsignal: -50.00 dBm\n\tSSID: \(escaped)\n"
            let network = NetworkInRange.list(scan).first?.network
            #expect(network == Hexadecimal.text(name))
            let request = NetworkRequest(.join, network: network, password: "12345678")
            let text = WirelessConfiguration.text(
                try? request.wireless(),
                country: nil,
                before: nil
            )
            #expect(text.flatMap(WirelessConfiguration.network)?.name == name)
        }
    }

    @Test func survivesWhatIsNoList() {
        var random = SplitMix64(seed: 59)
        let bytes = Array(Self.scan.utf8)
        for _ in 0..<3_000 {
            var spoilt = bytes
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                let place = Int.random(in: spoilt.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: spoilt[place] = UInt8.random(in: 0...255, using: &random)
                case 1: spoilt.removeSubrange(place..<min(place + 40, spoilt.count))
                case 2: spoilt.insert(contentsOf: spoilt.prefix(60), at: place)
                default: spoilt[place] = [0x09, 0x0A, 0x5C, 0x3A][place % 4]
                }
            }
            let found = NetworkInRange.list(String(decoding: spoilt, as: UTF8.self))
            #expect(found.count <= NetworkInRange.countMax)
            for network in found {
                #expect((2...64).contains(network.network.utf8.count))
                #expect((-200...100).contains(network.signal))
            }
        }
    }

    @Test func keepsTheStrongestOfMany() {
        let many = (0..<300).map { index in
            "BSS 02:00:00:00:00:00(on wlan0)\n\tsignal: -\(index % 100).00 dBm\n\tSSID: n\(index)\n"
        }
        let found = NetworkInRange.list(many.joined())
        #expect(found.count == NetworkInRange.countMax && found.allSatisfy { $0.signal > -23 })
    }
}
