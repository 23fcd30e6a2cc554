import Testing

@testable import Provisioning

@Suite struct WirelessConfigurationTests {
    private func text(
        _ name: String,
        _ secret: WirelessNetwork.Secret,
        hidden: Bool = false,
        before: String? = nil
    ) -> String? {
        WirelessConfiguration.text(
            WirelessNetwork(name: name, secret: secret, isHidden: hidden),
            country: "DE",
            before: before
        )
    }

    @Test func writesANetworkWithItsPassphrase() {
        let expected = """
            country=DE
            ctrl_interface=DIR=/run/wpa_supplicant GROUP=netdev
            update_config=0
            network={
            \tssid=61c3a922
            \tscan_ssid=1
            \tkey_mgmt=WPA-PSK WPA-PSK-SHA256 SAE
            \tieee80211w=1
            \tpsk="12345"678"
            }

            """
        #expect(text("aé\"", .passphrase("12345\"678"), hidden: true) == expected)
    }

    @Test func keepsTheSecretOfTheSameNetworkAlone() throws {
        for secret in [.passphrase("12345678"), .key(String(repeating: "a", count: 64))]
            as [WirelessNetwork.Secret]
        {
            let before = try #require(text("home", secret))
            #expect(text("home", .taken, before: before) == before)
            #expect(text("work", .taken, before: before) == nil)
        }
        #expect(text("home", .taken) == nil)
        #expect(text("home", .taken, before: text("home", .none)) == nil)
    }

    @Test(arguments: ["home", "aé\"", "\u{1}=, psk="])
    func readsTheNetworkThatItWrote(name: String) throws {
        let network = WirelessConfiguration.network(of: try #require(text(name, .none)))
        #expect(network?.name == Array(name.utf8) && network?.isOpen == true)
        let secret = text(name, .key(String(repeating: "a", count: 64)))
        #expect(WirelessConfiguration.network(of: try #require(secret))?.isOpen == false)
    }

    @Test(arguments: ["", "ssid=", "ssid=6", "ssid=6g", "ssid=+1", "ssid=\"home\"", "ssid=é1"])
    func knowsNoNetworkInAnotherForm(line: String) {
        #expect(WirelessConfiguration.network(of: "network={\n\t\(line)\n}\n") == nil)
    }

    @Test func writesAnOpenNetworkAndACountryAlone() throws {
        let open = try #require(text("home", .none))
        #expect(open.contains("key_mgmt=NONE") && !open.contains("psk"))
        let country = WirelessConfiguration.text(nil, country: "IT", before: nil)
        #expect(country?.hasPrefix("country=IT\n") == true && country?.contains("network") == false)
    }
}
