import Core
import SimulationKit
import Testing

@testable import RoostCourier

/// The first two lines are what avahi-browse 0.8 printed of a service with such a name.
@Suite struct AvahiServicesTests {
    static let recorded = #"""
        +;lo;IPv4;Roost\032on\032vm\059\032\034\195\169\034\032a\.b\\c;_roost._tcp;local
        =;lo;IPv4;Roost\032on\032vm\059\032\034\195\169\034\032a\.b\\c;_roost._tcp;local;\#
        vm.local;127.0.0.1;80;"path=/"
        =;eth0;IPv6;Roost\032on\032attic;_roost._tcp;local;attic.local;fe80::1;80;"path=/"
        =;eth0;IPv4;Roost\032on\032attic;_roost._tcp;local;attic.local;192.168.1.20;80;"path=/"
        =;wlan0;IPv4;Roost\032on\032attic;_roost._tcp;local;Attic.local.;10.0.0.7;80;"path=/"

        """#

    private static func decode(_ text: String, local: Bool = false) -> [NetworkService] {
        AvahiServices.decode(Array(text.utf8), allowsLocal: local)
    }

    @Test func readsWhatAvahiPrints() {
        let attic = NetworkService(
            name: "Roost on attic",
            host: "attic.local",
            port: 80,
            addresses: ["10.0.0.7", "192.168.1.20"]
        )
        #expect(Self.decode(Self.recorded) == [attic])
        let own = NetworkService(
            name: #"Roost on vm; "é" a.b\c"#,
            host: "vm.local",
            port: 80,
            addresses: ["127.0.0.1"]
        )
        #expect(Self.decode(Self.recorded, local: true) == [attic, own])
    }

    /// Recorded: by IPv4, and with an address of IPv6.
    @Test func anAddressOfTheOtherProtocolIsAskedForAgain() {
        let found = Self.decode("=;lo;IPv4;a;_roost._tcp;local;vm.local;::1;9082;\n", local: true)
        #expect(found.map(\.host) == ["vm.local"] && found.map(\.addresses) == [[]])
        let text =
            "vm.local\t192.168.1.20\nVM2.local.\t10.0.0.1\nx.local\t8.8.8.8\n-a\t10.0.0.2\n"
            + "Failed to resolve host name 'y.local': Timeout reached\nz.local\t192.168.1.9"
        #expect(
            AvahiServices.addresses(Array(text.utf8))
                == ["vm.local": "192.168.1.20", "vm2.local": "10.0.0.1", "z.local": "192.168.1.9"]
        )
    }

    @Test(arguments: [
        "=;eth0;IPv4;a;_http._tcp;local;a.local;192.168.1.20;80;",
        "=;eth0;IPv4;a;_roost._tcp;local;a.local;192.168.1.20;0;",
        "=;eth0;IPv4;a;_roost._tcp;local;a.local;192.168.1.20;65536;",
        "=;eth0;IPv4;a;_roost._tcp;local;a.local;192.168.1.20;8 0;",
        "=;eth0;IPv4;a;_roost._tcp;local;a.local;8.8.8.8;80;",
        "=;eth0;IPv4;a;_roost._tcp;local;a.local;169.254.169.254;80;",
        "=;eth0;IPv4;a;_roost._tcp;local;a.local;127.0.0.1;80;",
        "=;eth0;IPv4;a;_roost._tcp;local;a.local;192.168.01.20;80;",
        "=;eth0;IPv4;a;_roost._tcp;local;a.local;192.168.1.20@evil.example;80;",
        "=;eth0;IPv4;a;_roost._tcp;local;a/b.local;192.168.1.20;80;",
        "=;eth0;IPv4;a;_roost._tcp;local;--help.local;192.168.1.20;80;",
        "=;eth0;IPv4;a;_roost._tcp;local;javascript:1;192.168.1.20;80;",
        #"=;eth0;IPv4;\032\009;_roost._tcp;local;a.local;192.168.1.20;80;"#,
        #"=;eth0;IPv4;\256;_roost._tcp;local;a.local;192.168.1.20;80;"#,
        #"=;eth0;IPv4;a\;_roost._tcp;local;a.local;192.168.1.20;80;"#,
        "=;eth0;IPv4;;_roost._tcp;local;a.local;192.168.1.20;80;",
        "=;eth0;IPv4;a;_roost._tcp;local;a.local",
        "+;eth0;IPv4;a;_roost._tcp;local;a.local;192.168.1.20;80;",
    ])
    func aLineThatIsNoneIsLeftOut(_ line: String) {
        #expect(Self.decode(line).isEmpty)
        #expect(Self.decode("\(line)\n\(Self.recorded)").map(\.host) == ["attic.local"])
    }

    @Test func aHostileNameIsShownWithoutWhatSteersATerminalOrAPage() {
        let name = #"\027\091\051\049mred\226\128\174txt\000\060script\062"#
        let found = Self.decode("=;e;IPv4;\(name);_roost._tcp;local;a.local;10.0.0.1;80;")
        #expect(found.map(\.name) == ["[31mredtxt<script>"])
    }

    /// Recorded types of other programs, with a port and a text of theirs.
    @Test(arguments: [
        ("_mqtt._tcp", 1_883), ("_secure-mqtt._tcp", 8_883), ("_home-assistant._tcp", 8_123),
    ])
    func aTypeGetsItsOwnLinesOnly(type: String, port: Int) {
        let name = #"Home\032\194\171a\194\187"#
        let line = "=;eth0;IPv4;\(name);\(type);local;ha.local;10.0.0.9;\(port);\"version=1;2\""
        let bytes = Array("\(line)\n\(Self.recorded)".utf8)
        let found = AvahiServices.decode(bytes, of: type)
        #expect(found.map(\.name) == ["Home «a»"] && found.map(\.port) == [port])
        #expect(AvahiServices.decode(bytes).map(\.host) == ["attic.local"])
    }

    @Test func aFloodOfStationsHasABound() {
        let lines = (0..<2_000).map {
            "=;e;IPv4;s\($0);_roost._tcp;local;s\($0).local;10.0.0.1;80;"
        }
        #expect(Self.decode(lines.joined(separator: "\n")).count == 64)
    }

    @Test func noBytesMakeItFallOrGiveAnAddressOfTheInternet() {
        var chance = SplitMix64(seed: 20_261_125)
        for turn in 0..<4_000 {
            let type = turn % 2 == 0 ? AvahiServices.type : "_home-assistant._tcp"
            var changed = Array(Self.recorded.replacing(AvahiServices.type, with: type).utf8)
            for _ in 0..<Int.random(in: 1...12, using: &chance) {
                let place = Int.random(in: 0..<changed.count, using: &chance)
                switch Int.random(in: 0..<3, using: &chance) {
                case 0: changed[place] = .random(in: 0...255, using: &chance)
                case 1: changed.remove(at: place)
                default:
                    let special: [UInt8] = [0x3B, 0x5C, 0x0A, 0x00, 0x3D, 0x39, 0xC3]
                    changed.insert(special.randomElement(using: &chance) ?? 0, at: place)
                }
            }
            for service in AvahiServices.decode(changed, of: type) {
                #expect((1...65_535).contains(service.port))
                #expect((1...63).contains(service.name.utf8.count / 3 + 1))
                #expect(!service.name.unicodeScalars.contains { $0.value < 0x20 })
                #expect(
                    service.addresses.allSatisfy { LocalAddress.isOne($0, allowsLocal: false) }
                )
            }
        }
    }
}
