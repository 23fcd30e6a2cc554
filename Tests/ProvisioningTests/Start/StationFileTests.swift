import Core
import Testing

@testable import Provisioning

@Suite struct StationFileTests {
    static let key =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKcVh8bqJ3vQ3n1m0m9zC2yq8v0kYt0l3mY6xq7r8s9t anna@pc"

    private func read(_ text: String) -> ProvisionedFile { read(Array(text.utf8)) }

    private func read(_ bytes: [UInt8]) -> ProvisionedFile {
        StationFile.read(bytes) { $0 == "Europe/Berlin" }
    }

    @Test func readsEverySetting() {
        let file = read(
            """
            # my station
            name=Balcony-2
            country = de
            wifi=Café 5
            wifi-password= pass word=1
            wifi-hidden=yes
            timezone=Europe/Berlin
            user=anna
            ssh-key=\(Self.key)
            """
        )
        #expect(file.problems.isEmpty)
        #expect(file.settings.hostName == "balcony-2" && file.settings.country == "DE")
        #expect(file.settings.timeZone == "Europe/Berlin")
        #expect(
            file.settings.wireless
                == WirelessNetwork(
                    name: "Café 5",
                    secret: .passphrase("pass word=1"),
                    isHidden: true
                )
        )
        #expect(file.settings.user == LoginUser(name: "anna", keys: [Self.key]))
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func takesTheLineEndsOfEverySystemAndAMark(_ end: String) {
        let lines = ["\u{FEFF}name=hut", "", "country=IT", "wifi=a b", "wifi-password=12345678"]
        let file = read(lines.joined(separator: end))
        #expect(file.problems.isEmpty)
        #expect(file.settings.hostName == "hut" && file.settings.country == "IT")
        #expect(file.settings.wireless?.secret == .passphrase("12345678"))
    }

    @Test(arguments: [
        ("nam=x", 1, "name="), ("hostname=x", 1, "name="), ("\nfoo=1", 2, "Settings are"),
        ("a line", 1, "name=value"), ("name=-x", 1, "letters"), ("name=ü", 1, "letters"),
        ("country=Germany", 1, "two letters"), ("timezone=Berlin", 1, "continent"),
        ("timezone=../../etc/passwd", 1, "continent"), ("wifi-password=12345678", 1, "Add wifi="),
        ("country=DE\nwifi=a\nwifi-password=short", 3, "8 to 63"),
        ("country=DE\nwifi=a\nwifi-password=grüße und mehr", 3, "umlauts"),
        ("country=DE\nwifi=123456789012345678901234567890123", 2, "1 to 32"),
        ("wifi=a", 1, "country="),
        ("user=root\nssh-key=\(key)", 1, "not root"),
        ("user=Anna\nssh-key=\(key)", 1, "small letters"),
        ("user=anna", 1, "ssh-key="),
        ("user=anna\nssh-key=ssh-ed25519 AAAA… anna@laptop", 2, ".pub"),
        ("ssh-key=-----BEGIN OPENSSH PRIVATE KEY-----", 1, ".pub"),
        ("name=a\nname=b", 2, "Remove one"),
        ("country=DE\nwifi=\"home\"\nwifi-password=12345678", 2, "unless the network"),
    ])
    func saysFileLineAndWhatToDo(_ text: String, _ line: Int, _ next: String) throws {
        let problems = read(text).problems
        try #require(problems.count == 1, "\(problems)")
        #expect(problems[0].file == "station.txt" && problems[0].line == line)
        #expect(problems[0].next.contains(next), "\(problems[0])")
        #expect("\(problems[0])".hasPrefix("station.txt, line \(line): "))
    }

    @Test func losesNothingForOneWrongLine() {
        let file = read("nonsense\nname=hut\nuser=root\ncountry=XYZ\ntimezone=Europe/Berlin\n")
        #expect(file.problems.count == 3)
        #expect(file.settings.hostName == "hut" && file.settings.timeZone == "Europe/Berlin")
        #expect(file.settings.user == nil && file.settings.country == nil)
    }

    @Test(
        arguments: [
            [0xFF, 0xFE, 0x6E, 0x00], [0xFE, 0xFF, 0x00, 0x6E], [0x6E, 0x00, 0x61],
            [0x77, 0x69, 0x66, 0x69, 0x3D, 0xFC], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
            [UInt8](repeating: 0x61, count: 70_000), [UInt8](repeating: 0x61, count: 9_000),
        ] as [[UInt8]]
    )
    func namesWhatIsNoText(_ bytes: [UInt8]) throws {
        let file = read(bytes)
        try #require(file.problems.count == 1)
        #expect(file.settings.isEmpty && file.secrets.isEmpty)
    }

    @Test func replacesThePasswordByteForByte() {
        let text = "\u{FEFF}wifi=Grüße\r\nwifi-password =\t geheim12345 \r\ncountry=DE\r\n"
        let bytes = Array(text.utf8)
        let file = read(bytes)
        let after = StationFile.withoutSecrets(bytes, file.secrets)
        #expect(after.count == bytes.count)
        let expected = text.replacing("geheim12345", with: "(taken)    ")
        #expect(String(decoding: after, as: UTF8.self) == expected)
        let again = read(after)
        #expect(again.problems.isEmpty && again.secrets.isEmpty)
        #expect(again.settings.wireless == WirelessNetwork(name: "Grüße", secret: .taken))
    }

    /// Problems of a file are shown on the card, in the log and on the dashboard.
    @Test(arguments: [
        "wifi-password: geheim12345", "wifi-password geheim12345", "geheim12345",
        "wifi-password: geheim=12345", "Passwort meines WLANs geheim=12345", "psk: \"geheim12345\"",
        "wifi-password=gehéim12345", "mein geheimes=12345678901234567890",
    ])
    func neverRepeatsAPassword(_ text: String) {
        let words = read(text).problems.map(\.description).joined()
        #expect(!words.isEmpty && !words.contains("geh") && !words.contains("12345"), "\(words)")
    }

    @Test(arguments: ["wify=home", "wifi=123456789012345678901234567890123"])
    func leavesAPasswordThatItCannotTake(_ line: String) {
        let file = read("\(line)\ncountry=DE\nwifi-password=geheim12345\n")
        #expect(file.secrets.isEmpty && file.hasUnusedSecret && !file.problems.isEmpty)
        let wrong = read("wifi=home\ncountry=DE\nwifi-password=grüße und mehr\n")
        #expect(wrong.secrets.isEmpty && wrong.hasUnusedSecret)
        #expect(!read("wifi=home\ncountry=DE\nwifi-password=geheim12345\n").hasUnusedSecret)
    }

    @Test func boundsWhatItSays() {
        let file = read(String(repeating: "what is this\n", count: 3_000))
        #expect(file.problems.count == 12)
        let keys = String(repeating: "ssh-key=\(Self.key)\n", count: 40)
        #expect(read("user=anna\n" + keys).settings.user?.keys.count == 16)
    }

    @Test func neverTrapsOnChance() {
        var random = SplitMix64(seed: 4)
        let good = Array(
            "name=a\r\nwifi=b\nwifi-password=12345678\nssh-key=\(Self.key)\ntimezone=Europe/Berlin"
                .utf8
        )
        for _ in 0..<3_000 {
            let bytes = good.changed(by: &random)
            let file = read(bytes)
            let after = StationFile.withoutSecrets(bytes, file.secrets)
            #expect(after.count == bytes.count)
            _ = ImagerScript.read(bytes) { _ in true }
            _ = CloudInitFiles.readUser(bytes) { _ in true }
            _ = CloudInitFiles.readNetwork(bytes)
            _ = ClaimCode.problem(bytes)
        }
    }
}

extension [UInt8] {
    /// The same with a few bytes changed, added, removed or cut off, by chance.
    func changed(by random: inout SplitMix64) -> [UInt8] {
        var bytes = Array(prefix(Int.random(in: 0...count, using: &random)))
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let index = Int.random(in: 0...bytes.count, using: &random)
            let marks = Array("\n\r\"'=:- \\#\0|".utf8)
            let byte =
                Bool.random(using: &random)
                ? UInt8.random(in: 0...255, using: &random)
                : marks[Int.random(in: 0..<marks.count, using: &random)]
            switch Int.random(in: 0...2, using: &random) {
            case 0: bytes.insert(byte, at: index)
            case 1 where index < bytes.count: bytes[index] = byte
            default: if index < bytes.count { bytes.remove(at: index) }
            }
        }
        return bytes
    }
}
