import Core
import Profiles
import Testing

@testable import Doctor
@testable import Store

@Suite struct DoctorFactsTests {
    private static func history(_ last: DoctorStation.LastSample, now: WallTime?) throws
        -> DoctorFinding
    {
        var facts = try MadeUpMachine(model: Boards.four).facts(in: MadeUpTree())
        (facts.station.history, facts.station.now) = (last, now)
        let check = try #require(DoctorChecks.all.first { $0.name == "history" })
        return check.decide(facts)
    }

    /// 2026-11-21T00:00:00Z, and hours after it.
    private static func wall(_ hours: Int64) -> WallTime {
        WallTime(nanoseconds: (1_795_219_200 + hours * 3_600) * 1_000_000_000)
    }

    @Test func aSampleIsOldOnceTwoTakesHavePassed() throws {
        let young = try Self.history(.taken(Self.wall(0)), now: Self.wall(48))
        #expect(young.verdict == .ok)
        #expect(young.sentence == "the history's last sample is of 2026-11-21T00:00:00Z, 48 h ago")
        let old = try Self.history(.taken(Self.wall(0)), now: Self.wall(49))
        #expect(old.verdict == .warning)
        #expect(old.next?.contains("roost ledger") == true)
        #expect(try Self.history(.taken(Self.wall(0)), now: nil).verdict == .ok)
        #expect(try Self.history(.taken(nil), now: Self.wall(0)).verdict == .note)
        #expect(try Self.history(.empty, now: Self.wall(0)).verdict == .ok)
        let broken = try Self.history(.unreadable(words: "torn"), now: nil)
        #expect(broken.verdict == .failure)
        #expect(broken.next == "sudo roost store check /var/lib/roost")
    }

    @Test func aHistoryIsLookedIntoWhereTheConfigurationPutsIt() throws {
        let tree = try MadeUpTree()
        let machine = try MadeUpMachine(model: Boards.four)
        #expect(try machine.facts(in: tree).station.history == .noHistory)
        let path = "\(tree.root)/var/lib/roost/history.db"
        do { _ = try HistoryFile.open(path: path, plan: StorePlan(.megabytes(4))) }
        #expect(try machine.facts(in: tree).station.history == .empty)
        try tree.put(["/var/lib/roost/history.db": "no database"], [:])
        guard case .unreadable(let words) = try machine.facts(in: tree).station.history else {
            Issue.record("garbage was read")
            return
        }
        #expect(words.contains("history.db"))
    }

    @Test func profilesAreThoseOfTheFolderThatTheConfigurationNames() throws {
        var machine = try MadeUpMachine(model: Boards.four)
        machine.configure(
            #"""
            { "profiles": "/srv/mine",
              "devices": [ { "name": "m", "type": "my-board", "address": "http://board/" } ] }
            """#
        )
        machine.files["/srv/mine/my-board.json"] = """
            { "schemaVersion": 1, "id": "my-board", "kind": "http", "name": "My board",
              "words": "Tells one thing.", "driver": "http-line",
              "settings": { "delimiter": ";", "fields": [ "co2" ], "intervalSeconds": 5 },
              "channels": [ { "name": "co2", "unit": "ppm", "decimals": 0,
                              "range": [ 300, 10000 ], "words": "CO2." } ] }
            """
        let station = try machine.facts(in: MadeUpTree()).station
        #expect(station.profileProblems.isEmpty && station.ownProfileCount == 1)
        guard case .success = station.configuration else {
            Issue.record("\(String(describing: station.configuration))")
            return
        }
        #expect(station.httpDevices.map(\.device) == ["m"])
        #expect(station.httpDevices.map(\.address) == ["http://board/"])
    }

    @Test func everyMistakeOfAConfigurationIsADetail() throws {
        var machine = try MadeUpMachine(model: Boards.four)
        machine.configure(#"{ "mode": "year", "mood": 1 }"#)
        let facts = try machine.facts(in: MadeUpTree())
        let check = try #require(DoctorChecks.all.first { $0.name == "configuration" })
        let details = check.decide(facts).details
        #expect(details.count == 2)
        #expect(details.contains { $0.contains("mode") })
        #expect(details.contains { $0.contains("mood") })
    }

    @Test func aLockCountsOnlyWhileItIsHeld() throws {
        var machine = try MadeUpMachine(model: Boards.four)
        #expect(try machine.facts(in: MadeUpTree()).station.lockHolder == 900)
        machine.files["/proc/locks"] = "1: POSIX  ADVISORY  WRITE 900 00:19:1234 0 EOF\n"
        #expect(try machine.facts(in: MadeUpTree()).station.lockHolder == nil)
        machine.files["/proc/locks"] = "1: FLOCK  ADVISORY  WRITE 901 00:19:1234 0 EOF\n"
        #expect(try machine.facts(in: MadeUpTree()).station.lockHolder == nil)
    }

    @Test func anAdapterIsFoundThroughBothKindsOfDriver() throws {
        var machine = try MadeUpMachine(model: Boards.four)
        machine.putAdapter("ttyACM0", at: "1-1.2", port: "x", serial: "A7")
        machine.links["/sys/class/tty/ttyACM0/device"] = "../../../devices/usb1/1-1.2/1-1.2:1.0"
        let adapters = try machine.facts(in: MadeUpTree()).ports.adapters
        #expect(adapters.map(\.node.path) == ["/dev/ttyACM0", "/dev/ttyUSB0"])
        #expect(adapters.map(\.id) == ["1a86:7523", "1a86:7523"])
        #expect(adapters.map(\.serial) == ["A7", nil])
    }

    @Test func aMaskedRuleOfBrlttyCountsForNothing() throws {
        var machine = try MadeUpMachine(model: Boards.four)
        machine.files["/usr/bin/brltty"] = ""
        machine.files["/usr/lib/udev/rules.d/85-brltty.rules"] = "ENV{PRODUCT}==\"1a86/7523/*\"\n"
        let ports = try machine.facts(in: MadeUpTree()).ports
        #expect(ports.brlttyRule == "/usr/lib/udev/rules.d/85-brltty.rules")
        machine.links["/etc/udev/rules.d/85-brltty.rules"] = "/dev/null"
        #expect(try machine.facts(in: MadeUpTree()).ports.brlttyRule == nil)
        machine.links = machine.links.filter { $0.value != "/dev/null" }
        machine.replace("ENV", "#ENV", in: "/usr/lib/udev/rules.d/85-brltty.rules")
        #expect(try machine.facts(in: MadeUpTree()).ports.brlttyRule == nil)
    }

    @Test func settingsOfSystemdAreReadInItsOrder() throws {
        let tree = try MadeUpTree()
        try tree.put(
            [
                "/etc/systemd/system.conf": "[Manager]\n#RuntimeWatchdogSec=1\nA=main\nB=main\n",
                "/usr/lib/systemd/system.conf.d/20-a.conf": "A = library\nC=library\n",
                "/usr/lib/systemd/system.conf.d/30-c.conf": "C=hidden\n",
                "/etc/systemd/system.conf.d/30-c.conf": "C=etc\n",
                "/etc/systemd/system.conf.d/40-x.txt": "C=no\n",
            ],
            [:]
        )
        let settings = DoctorTree(root: tree.root + "/").settings("system.conf")
        #expect(settings == ["A": "library", "B": "main", "C": "etc"])
    }

    @Test func aMountIsTheLongestAndLastOne() {
        var card = DoctorCard()
        func mount(_ device: String, _ place: String) -> DoctorMount {
            DoctorMount(device: device, place: place, kind: "ext4", options: ["rw"])
        }
        card.mounts = [mount("a", "/"), mount("b", "/var"), mount("c", "/var"), mount("d", "/va")]
        #expect(card.mount(of: "/var/lib")?.device == "c")
        #expect(card.mount(of: "/varnish")?.device == "a")
        #expect(card.mount(of: "/va")?.device == "d")
    }

    @Test func aTreeNeverWaitsAndNeverReadsWhatIsNoFile() throws {
        let tree = try MadeUpTree()
        try tree.put(["/a/b": "one\ntwo\n"], ["/a/zero": "/dev/zero", "/a/loop": "loop"])
        let files = DoctorTree(root: tree.root)
        #expect(files.line("/a/b") == "one")
        #expect(files.text("/a/zero") == nil)
        #expect(files.text("/a/loop") == nil)
        #expect(files.text("/a") == nil)
        #expect(files.names("/a") == ["b", "loop", "zero"])
        #expect(files.names("/none") == [])
    }

    /// Whatever this machine is: it answers, and nothing of it is changed.
    @Test func thisMachineIsLookedAtWithoutAFault() {
        let machine = DoctorMachine.live { _ in nil }
        let facts = DoctorFacts(DoctorRoot(tree: DoctorTree(root: "/"), machine: machine))
        let report = DoctorReport(facts)
        #expect(report.findings.map(\.name) == DoctorChecks.all.map(\.name))
        #expect(report.findings.allSatisfy { !$0.sentence.isEmpty })
    }

    @Test func namesOfKernelsAreCompared() {
        #expect(KernelVersion("6.6.31+rpt-rpi-v8") == KernelVersion(6, 6, 31))
        #expect(KernelVersion("6.12") ?? KernelVersion(0, 0) > KernelVersion(6, 6, 45))
        #expect(KernelVersion("rpi") == nil)
    }
}
