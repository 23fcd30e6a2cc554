import Core
import Testing

@testable import Provisioning

@Suite struct AccessPointConfigurationTests {
    @Test func isNamedByTheRadiosAddress() {
        #expect(AccessPointConfiguration.name(hardwareAddress: "b8:27:eb:00:35:cc") == "roost-35CC")
        #expect(AccessPointConfiguration.name(hardwareAddress: "") == nil)
    }

    @Test func isOpenUntilTheStationHasAnOwner() {
        let isLocked = AccessPointConfiguration.isLocked
        #expect(!isLocked(nil, false) && isLocked(nil, true))
        #expect(!isLocked(.open, true) && isLocked(.locked, false))
    }

    @Test func writesAnOpenAndALockedOne() {
        let open = AccessPointConfiguration.text(name: "roost-35CC", country: "DE", password: nil)
        #expect(open.hasPrefix("country=DE\nnetwork={\n\tssid=\"roost-35CC\"\n\tmode=2\n"))
        #expect(open.contains("\tkey_mgmt=NONE\n") && !open.contains("psk"))
        let locked = AccessPointConfiguration.text(
            name: "roost-35CC",
            country: nil,
            password: "abcd-efgh-jkmn"
        )
        #expect(locked.hasPrefix("network={") && !locked.contains("NONE"))
        #expect(locked.contains("\tproto=RSN\n"))
        #expect(locked.hasSuffix("\tpsk=\"abcd-efgh-jkmn\"\n}\n"))
    }

    @Test func makesPasswordsThatARouterTakes() throws {
        var random = SplitMix64(seed: 1)
        let made = (0..<1_000).map { _ in AccessPointConfiguration.makePassword(using: &random) }
        #expect(Set(made).count == 1_000)
        for password in made {
            #expect(try SettingRules.secret(password) == .passphrase(password))
            #expect(password.utf8.count == 14)
        }
    }
}
