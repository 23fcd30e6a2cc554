import Core
import Testing

@testable import Provisioning

@Suite struct WirelessFindingTests {
    /// Output of wpa_supplicant 2.10 in the guest.
    private static let denied = """
        Successfully initialized wpa_supplicant
        wlan0: SME: Trying to authenticate with 02:00:00:00:01:00 (SSID='home' freq=2437 MHz)
        wlan0: Associated with 02:00:00:00:01:00
        wlan0: CTRL-EVENT-SUBNET-STATUS-UPDATE status=0
        wlan0: CTRL-EVENT-DISCONNECTED bssid=02:00:00:00:01:00 reason=15
        wlan0: WPA: 4-Way Handshake failed - pre-shared key may be incorrect
        wlan0: CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid="home" auth_failures=1 duration=10 \
        reason=WRONG_KEY

        """
    private static let joined = "wlan0: CTRL-EVENT-CONNECTED - Connection to 02:00:00:00:01:00\n"
    private static let inRange = "BSS 02:00:00:00:01:00(on wlan0)\n\tSSID: home\n"

    private func look(
        _ evidence: String,
        _ name: String = "home",
        _ secret: WirelessNetwork.Secret = .passphrase("12345678")
    ) -> WirelessFinding? {
        let text = WirelessConfiguration.text(
            WirelessNetwork(name: name, secret: secret),
            country: "DE",
            before: nil
        )
        return WirelessFinding(evidence, configuration: text ?? "")
    }

    @Test func namesAWrongPassword() throws {
        let finding = try #require(look(Self.denied + Self.inRange))
        #expect(finding.cause == .wrongPassword)
        #expect(
            finding.line == "Wi-Fi: 'home' does not accept the password. Write the router's on the "
                + "page Network, or into station.txt as wifi-password=."
        )
        // The network is not looked at while wpa_supplicant waits.
        #expect(look(Self.denied)?.cause == .wrongPassword)
    }

    @Test func namesAWrongPasswordOfWPA3() {
        let reject = "wlan0: CTRL-EVENT-AUTH-REJECT 02:00:00:00:01:00 auth_type=3 "
        #expect(
            look(reject + "auth_transaction=2 status_code=15\n")?.cause == .wrongPassword
        )
        let full = reject + "auth_transaction=1 status_code=17\n" + Self.inRange
        #expect(look(full)?.cause == .refused)
    }

    @Test func namesANetworkThatIsNotThere() throws {
        #expect(look("")?.cause == .absent(similar: nil))
        #expect(look("\tSSID: \n\tSSID: \\x00\\x00\n", "a")?.cause == .absent(similar: nil))
        let finding = try #require(look("\tSSID: other\n\tSSID: Home\n"))
        #expect(finding.cause == .absent(similar: "Home"))
        #expect(finding.line.hasPrefix("Wi-Fi: 'home' is not in range; 'Home' is. "))
    }

    @Test func namesANetworkThatRefuses() throws {
        #expect(look(Self.inRange)?.cause == .refused)
        let open = try #require(look(Self.inRange, "home", .none))
        #expect(open.line.contains("without a password"))
    }

    @Test func saysNothingOnceTheNetworkIsJoinedOrWhereThereIsNone() {
        #expect(look(Self.denied + "wpa_state=COMPLETED\n") == nil)
        #expect(look(Self.denied + "wpa_state=SCANNING\n") != nil)
        #expect(WirelessFinding(Self.denied, configuration: "") == nil)
        let country = WirelessConfiguration.text(nil, country: "DE", before: nil)
        #expect(WirelessFinding(Self.denied, configuration: country ?? "") == nil)
        let several = "network={\n\tssid=61\n}\nnetwork={\n\tssid=62\n}\n"
        #expect(WirelessFinding("", configuration: several) == nil)
    }

    @Test func aPasswordThatWasAcceptedIsNotTheCause() {
        let gone = look(Self.denied + Self.joined)
        #expect(gone?.cause == .absent(similar: nil))
        #expect(look(Self.joined + Self.denied)?.cause == .wrongPassword)
    }

    @Test(arguments: [
        "wlan0: CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid=\"work\" auth_failures=1 duration=10 "
            + "reason=WRONG_KEY",
        // The name of another network, which holds what would be said of this one.
        "wlan0: CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid=\"a\\\" reason=WRONG_KEY\" "
            + "auth_failures=1 duration=10 reason=CONN_FAILED",
        "wlan0: CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid=\"home\" auth_failures=1 duration=10 "
            + "reason=CONN_FAILED",
        "wlan0: CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid=\"home",
        "wlan0: CTRL-EVENT-SSID-TEMP-DISABLED id=",
        "wlan0: Trying to associate with SSID 'reason=WRONG_KEY'",
        "CTRL-EVENT-AUTH-REJECT auth_type=3 auth_transaction=2",
        ":", ": ", "\\", "\tSSID: \\", "\tSSID: \\x", "\tSSID: \\x4",
    ])
    func isNotMisledByOtherLines(line: String) {
        #expect(look(line + "\n" + Self.inRange)?.cause == .refused)
        #expect(look(line)?.cause == .absent(similar: nil))
    }

    /// Returns a network's name as wpa_supplicant and `iw` write it.
    private static func escaped(_ name: [UInt8], byTool iw: Bool) -> String {
        name.enumerated().map { index, byte in
            let isEnd = index == 0 || index == name.count - 1
            let hex = "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            if iw {
                let isPlain = (0x21...0x7E).contains(byte) && byte != 0x5C
                return isPlain || byte == 0x20 && !isEnd
                    ? String(UnicodeScalar(byte)) : hex
            }
            return switch byte {
            case 0x22: "\\\""
            case 0x5C: "\\\\"
            case 0x1B: "\\e"
            case 0x0A: "\\n"
            case 0x0D: "\\r"
            case 0x09: "\\t"
            case 0x20...0x7E: String(UnicodeScalar(byte))
            default: hex
            }
        }.joined()
    }

    @Test func readsEveryNameAsItIsWritten() {
        var random = SplitMix64(seed: 17)
        for _ in 0..<2_000 {
            let count = Int.random(in: 1...32, using: &random)
            let isPlain = Bool.random(using: &random)
            let letters = Array("ab \"\\x1en'=,:é".utf8)
            let name = (0..<count).map { _ in
                isPlain
                    ? letters.randomElement(using: &random) ?? 0
                    : UInt8.random(in: 0...255, using: &random)
            }
            let disabled =
                "wlan0: CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid=\""
                + Self.escaped(name, byTool: false)
                + "\" auth_failures=2 duration=20 reason=WRONG_KEY\n"
            let scan = "\tSSID: " + Self.escaped(name, byTool: true) + "\n"
            let evidence = WirelessEvidence(disabled + scan, of: name)
            #expect(evidence.deniesPassword && evidence.namesInRange == [name], "\(name)")
            #expect(!WirelessEvidence(disabled, of: name + [0x41]).deniesPassword)
        }
    }

    @Test func outlivesAnyText() {
        var random = SplitMix64(seed: 18)
        let pieces =
            Self.denied.split(separator: " ").map(String.init) + [
                "\n", "\\", "\\x", "\"", "\tSSID: ", ": ", "\u{0}", "é", "wpa_state=COMPLETED\n",
                "CTRL-EVENT-AUTH-REJECT ", "CTRL-EVENT-SSID-TEMP-DISABLED id=", " ssid=\"",
            ]
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...40, using: &random)
            let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            guard let line = look(text)?.line else { continue }
            #expect(line.hasPrefix("Wi-Fi: 'home' ") && !line.contains(where: \.isNewline))
        }
    }

    @Test func showsANameOnOneLineWithoutAPassword() throws {
        let finding = try #require(look(Self.inRange, "a\r\n\u{1B}[31m. b"))
        #expect(!finding.line.unicodeScalars.contains { $0.value < 0x20 })
        #expect(!finding.line.contains("12345678"))
        var words = ProvisionWords()
        words.notes = ["station.txt: the Wi-Fi password was taken"]
        #expect(WirelessFinding.line(in: words.text) == nil)
        words.wireless = finding.line
        #expect(WirelessFinding.line(in: words.text) == finding.line)
    }
}
