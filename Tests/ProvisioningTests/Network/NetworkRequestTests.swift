import Testing

@testable import Provisioning

@Suite struct NetworkRequestTests {
    @Test func readsANetworkAndItsSecret() throws {
        let key = String(repeating: "aB", count: 32)
        let cases: [(String?, WirelessNetwork.Secret)] = [
            (nil, .taken), ("", .none), ("12345678", .passphrase("12345678")),
            (key, .key(key.lowercased())),
        ]
        for (password, secret) in cases {
            let request = NetworkRequest(.join, network: "41fF00", password: password)
            #expect(
                try request.wireless() == WirelessNetwork(name: [0x41, 0xFF, 0], secret: secret)
            )
        }
        for password in ["#1234567", "12#34\"567"] {
            let request = NetworkRequest(.join, network: "41", password: password)
            #expect(try request.wireless().secret == .passphrase(password))
        }
        let hidden = NetworkRequest(.join, network: "41", isHidden: true, country: "de")
        #expect(try hidden.wireless().isHidden && hidden.checkedCountry() == "DE")
        #expect(try NetworkRequest(.join, network: "41").checkedCountry() == nil)
    }

    @Test(arguments: [nil, "", "4", "4g", String(repeating: "61", count: 33), "é1"])
    func refusesANameThatIsNone(network: String?) {
        let request = NetworkRequest(.join, network: network, password: "12345678")
        let refusal = #expect(throws: NetworkRequest.Refusal.self) { try request.wireless() }
        #expect(refusal?.field == "network")
    }

    /// None of these reaches a file of wpa_supplicant.
    @Test(arguments: [
        "1234567", String(repeating: "a", count: 65), "pässword", "12345678\n}", "1234567\u{0}8",
        "12345678\u{7F}", "1234\"5678#9",
    ])
    func refusesAPasswordThatIsNone(password: String) {
        let request = NetworkRequest(.join, network: "61", password: password)
        let refusal = #expect(throws: NetworkRequest.Refusal.self) { try request.wireless() }
        #expect(refusal?.field == "password" && refusal?.words.contains(password) == false)
    }

    @Test(arguments: ["", "D", "DEU", "D\n", "äö"])
    func refusesACountryThatIsNone(country: String) {
        let request = NetworkRequest(.join, network: "61", country: country)
        let refusal = #expect(throws: NetworkRequest.Refusal.self) {
            try request.checkedCountry()
        }
        #expect(refusal?.field == "country")
    }
}
