import Core
import Testing

@testable import Provisioning

@Suite struct CloudInitFilesTests {
    private static let hash = "$5$q6XMdhfKwxRP4DgV$6OHhYS0aGsYC3ZgKcVQzO6XEBLhHH8yQSf1Am3Vf3z9"
    private static let psk = "b88f821463b86558e3f591c93eb55e38dd76c647b1d5b9cca9e081c89d1ce059"

    private static let user = """
        #cloud-config
        manage_resolv_conf: false

        hostname: balkon
        manage_etc_hosts: true
        packages:
        - avahi-daemon
        apt:
          preserve_sources_list: true
          conf: |
            Acquire {
              Check-Date "false";
            };
        timezone: Europe/Berlin
        keyboard:
          model: pc105
          layout: "de"
        enable_ssh: true
        users:
        - name: anna
          groups: users,adm,dialout,sudo
          shell: /bin/bash
          lock_passwd: false
          passwd: \(hash)
          ssh_authorized_keys:
            - \(StationFileTests.key)
            - \(StationFileTests.key)2
          sudo: ALL=(ALL) NOPASSWD:ALL
        ssh_pwauth: true
        runcmd:
          - [ sh, -c, "rm -rf /" ]
          - [ sleep, "2" ]
        """
    private static let network = """
        network:
          version: 2
          wifis:
            renderer: networkd
            wlan0:
              dhcp4: true
              regulatory-domain: "DE"
              access-points:
                "Mein: Netz":
                  password: "\(psk)"
                  hidden: true
              optional: true
        """

    private func user(_ text: String) -> ProvisionedFile {
        CloudInitFiles.readUser(Array(text.utf8)) { $0 == "Europe/Berlin" }
    }

    private func network(_ text: String) -> ProvisionedFile {
        CloudInitFiles.readNetwork(Array(text.utf8))
    }

    @Test func readsWhatImagerWritesOfTheUser() {
        let file = user(Self.user)
        #expect(file.problems.isEmpty)
        #expect(file.settings.hostName == "balkon" && file.settings.timeZone == "Europe/Berlin")
        #expect(file.settings.keyboard == "de" && file.settings.acceptsPasswords)
        let keys = [StationFileTests.key, StationFileTests.key + "2"]
        #expect(
            file.settings.user == LoginUser(name: "anna", keys: keys, passwordHash: Self.hash)
        )
    }

    @Test func readsWhatImagerWritesOfTheNetwork() {
        let wanted = WirelessNetwork(name: "Mein: Netz", secret: .key(Self.psk), isHidden: true)
        let file = network(Self.network)
        #expect(file.problems.isEmpty && file.settings.country == "DE")
        #expect(file.settings.wireless == wanted)
        // As older versions of Imager wrote it, without the level `network`.
        let older = Self.network.split(separator: "\n").dropFirst().map { $0.dropFirst(2) }
        #expect(network(older.joined(separator: "\n")).settings.wireless == wanted)
        #expect(network(older.joined(separator: "\r\n")).settings.wireless == wanted)
    }

    @Test func takesAnEmptyFileAndACableAlone() {
        #expect(user("").settings.isEmpty && user("").problems.isEmpty)
        #expect(user("#cloud-config\n").settings.isEmpty)
        let cable = network("network:\n  ethernets:\n    eth0:\n      dhcp4: true\n")
        #expect(cable.settings.isEmpty && cable.problems.isEmpty)
    }

    @Test(arguments: [
        ("hostname: -x", 1), ("a: b\ntimezone: Mars/Olympus", 2),
        ("users:\n- name: root\n", 2), ("users:\n- name: anna\n  passwd: plain", 3),
        ("users:\n- name: anna\n  ssh_authorized_keys:\n  - nonsense", 4),
    ])
    func saysWhichLineIsWrong(_ text: String, _ line: Int) throws {
        let file = user(text)
        try #require(file.problems.count == 1, "\(file.problems)")
        #expect(file.problems[0].line == line && file.problems[0].file == "user-data")
    }

    @Test func takesOtherIndentationsOfTheSame() {
        let file = user(
            """
            users:
                - ssh_authorized_keys:
                  - '\(StationFileTests.key)'
                  name:   'anna'   # me
            hostname: "hut"
            """
        )
        #expect(file.problems.isEmpty)
        #expect(file.settings.user == LoginUser(name: "anna", keys: [StationFileTests.key]))
        #expect(file.settings.hostName == "hut")
    }

    @Test(arguments: [
        "\t", "- - - - -", "a:\n b:\n  c:\n d\n e: f", "- a: b\n  - c", ":", "-", "a: |\n  x\n y",
        "? a\n: b", "\"", "'a':'b'", "  x: 1\n y: 2\nz: 3",
    ])
    func passesOverWhatItDoesNotKnow(_ text: String) {
        #expect(user(text).settings.isEmpty)
        #expect(network(text).settings.isEmpty)
    }

    @Test func boundsHowDeepItGoes() {
        let deep = (0..<3_000).map { String(repeating: " ", count: $0) + "a:" }
        #expect(user(deep.prefix(300).joined(separator: "\n")).settings.isEmpty)
        let dashes = String(repeating: "- ", count: 4_000) + "a"
        #expect(user(dashes).settings.isEmpty)
    }

    @Test func neverTrapsOnChance() {
        var random = SplitMix64(seed: 23)
        for text in [Self.user, Self.network] {
            for _ in 0..<1_000 {
                let bytes = Array(text.utf8).changed(by: &random)
                _ = CloudInitFiles.readUser(bytes) { _ in true }
                _ = CloudInitFiles.readNetwork(bytes)
            }
        }
    }
}
