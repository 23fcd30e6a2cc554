import Core
import Testing

@testable import Provisioning

@Suite struct ImagerScriptTests {
    private static let hash =
        "$y$j9T$abcdefghijklmnop$0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ."
    private static let psk = "b88f821463b86558e3f591c93eb55e38dd76c647b1d5b9cca9e081c89d1ce059"

    /// The lines of Imager's script that carry settings, among those that do not.
    private static let script = """
        #!/bin/sh

        set +e

        CURRENT_HOSTNAME=$(cat /etc/hostname | tr -d " \\t\\n\\r")
        if [ -f /usr/lib/raspberrypi-sys-mods/imager_custom ]; then
           /usr/lib/raspberrypi-sys-mods/imager_custom set_hostname balkon
        else
           echo balkon >/etc/hostname
        fi
        FIRSTUSER=$(getent passwd 1000 | cut -d: -f1)
        if [ -f /usr/lib/raspberrypi-sys-mods/imager_custom ]; then
           /usr/lib/raspberrypi-sys-mods/imager_custom enable_ssh -k '\(StationFileTests.key)'
        else
           install -o "$FIRSTUSER" -m 700 -d "$FIRSTUSERHOME/.ssh"
        fi
        if [ -f /usr/lib/userconf-pi/userconf ]; then
           /usr/lib/userconf-pi/userconf 'anna' '\(hash)'
        else
           echo "$FIRSTUSER:\(hash)" | chpasswd -e
        fi
        if [ -f /usr/lib/raspberrypi-sys-mods/imager_custom ]; then
           /usr/lib/raspberrypi-sys-mods/imager_custom set_wlan 'Mein Netz' '\(psk)' 'DE'
        else
        cat >/etc/wpa_supplicant/wpa_supplicant.conf <<'WPAEOF'
        country=DE
        WPAEOF
           rfkill unblock wifi
        fi
        if [ -f /usr/lib/raspberrypi-sys-mods/imager_custom ]; then
           /usr/lib/raspberrypi-sys-mods/imager_custom set_keymap 'de'
           /usr/lib/raspberrypi-sys-mods/imager_custom set_timezone 'Europe/Berlin'
        fi
        rm -f /boot/firstrun.sh
        exit 0
        """

    private func read(_ text: String) -> ProvisionedFile {
        ImagerScript.read(Array(text.utf8)) { $0 == "Europe/Berlin" }
    }

    @Test func readsWhatImagerWrites() {
        let file = read(Self.script)
        #expect(file.problems.isEmpty)
        let settings = file.settings
        #expect(settings.hostName == "balkon" && settings.country == "DE")
        #expect(settings.wireless == WirelessNetwork(name: "Mein Netz", secret: .key(Self.psk)))
        #expect(settings.keyboard == "de" && settings.timeZone == "Europe/Berlin")
        #expect(
            settings.user
                == LoginUser(name: "anna", keys: [StationFileTests.key], passwordHash: Self.hash)
        )
        #expect(!settings.acceptsPasswords)
    }

    private let custom = "/usr/lib/raspberrypi-sys-mods/imager_custom"

    @Test func readsHiddenNetworksQuotesAndPasswordLogins() {
        let file = read(
            """
            \(custom) set_wlan  -h 'Anna'\\''s "Netz"' '\(Self.psk)' 'IT'
            \(custom) enable_ssh
            /usr/lib/userconf-pi/userconf 'anna' '\(Self.hash)'
            """
        )
        #expect(file.problems.isEmpty)
        #expect(file.settings.wireless?.name == Array("Anna's \"Netz\"".utf8))
        #expect(file.settings.wireless?.isHidden == true)
        #expect(file.settings.acceptsPasswords)
        #expect(file.settings.user?.passwordHash == Self.hash)
    }

    @Test(arguments: [
        "set_hostname $(reboot)", "set_hostname `id`", "set_wlan 'a", "set_hostname a; rm -rf /",
        "set_hostname \"$HOME\"", "set_hostname a >/etc/passwd",
    ])
    func runsNothing(_ line: String) throws {
        let file = read("\(custom) \(line)")
        #expect(file.settings.isEmpty)
        #expect(file.problems.count == 1 && file.problems[0].line == 1)
    }

    @Test func namesWrongValues() {
        let file = read(
            """
            \(custom) set_hostname 'a b'
            \(custom) set_timezone 'Nowhere/City'
            /usr/lib/userconf-pi/userconf 'anna' 'plain password'
            """
        )
        #expect(file.problems.map(\.line) == [1, 2, 3])
        #expect(file.settings.user == LoginUser(name: "anna"))
    }

    @Test func makesNoOtherUserForANameThatItRefuses() {
        let file = read(
            """
            \(custom) enable_ssh -k '\(StationFileTests.key)'
            /usr/lib/userconf-pi/userconf 'Anna' '\(Self.hash)'
            """
        )
        #expect(file.settings.user == nil && file.problems.map(\.line) == [2])
        let keyAlone = read("\(custom) enable_ssh -k '\(StationFileTests.key)'")
        #expect(keyAlone.settings.user?.name == "pi")
    }

    @Test func neverTrapsOnChance() {
        var random = SplitMix64(seed: 9)
        let good = Array(Self.script.utf8)
        for _ in 0..<1_000 {
            _ = ImagerScript.read(good.changed(by: &random)) { _ in true }
        }
    }
}
