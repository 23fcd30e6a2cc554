import ControlProtocol
import Core
import HardwareIO
import Testing

@testable import Devices
@testable import Profiles
@testable import Station

@Suite struct DetectionMachineTests {
    private static func device(_ number: Int, serial: String? = nil) -> HotplugDevice {
        var properties = [
            "ID_VENDOR_ID": "1a86", "ID_MODEL_ID": "7523", "ID_PATH": "usb-0:1.\(number):1.0",
        ]
        properties["ID_SERIAL_SHORT"] = serial
        return HotplugDevice(
            devpath: "/devices/usb1/1-1.\(number)/1-1.\(number):1.0/ttyUSB0/tty/ttyUSB0",
            node: "/dev/ttyUSB\(number)",
            subsystem: "tty",
            properties: properties
        )
    }

    private static func proof(_ id: String, part: String?) throws -> DetectionMachine.ProbeEnd {
        let profile = try #require(ProfileCatalog.shipped.profile(id))
        let evidence = SensorProof.Evidence(id: part, words: "two measurements")
        return .verdict(
            .proved(ProbePlan.Proof(profile: profile, evidence: evidence, baud: 9_600, rivals: []))
        )
    }

    private static func names(_ actions: [DetectionMachine.Action]) -> [String] {
        actions.compactMap { action in
            if case .start(let adoption) = action { adoption.name } else { nil }
        }
    }

    @Test func whatTheStoreRememberedHasItsNameAgain() throws {
        let record = DeviceRecord(name: "balcony", profile: "nova-sds011", port: nil)
        var machine = DetectionMachine(.shipped)
        _ = machine.apply([.appeared(Self.device(1))], at: .boot)
        let settings = ["device.nova-sds011:A160": try record.json, "other": "1"]
        let begun = machine.begin(with: settings, at: .boot)
        #expect(begun.count == 1, "probed once the names are known, and not before")
        let proof = try Self.proof("nova-sds011", part: "A160")
        #expect(Self.names(machine.probeEnded(port: 1, proof, at: .boot)) == ["balcony"])
    }

    /// One part, one entry: detection found it once, and now the file has it.
    @Test(arguments: [true, false])
    func aDeviceOfTheFileIsNotAwayAsWell(isOn: Bool) throws {
        let settings = try [
            "device.nova-sds011:A160": DeviceRecord(name: "dust", profile: "nova-sds011").json,
            "device.winsen-mhz19b:1": DeviceRecord(name: "air", profile: "winsen-mhz19b").json,
        ]
        var machine = DetectionMachine(.shipped)
        _ = machine.configure(ports: ["/dev/ttyUSB1"], names: ["dust"], isOn: isOn, at: .boot)
        _ = machine.begin(with: settings, at: .boot)
        _ = machine.apply([.appeared(Self.device(1))], at: .boot)
        #expect(machine.list(at: .boot).map(\.name) == ["air"])
        #expect(machine.missing.map(\.subject) == (isOn ? ["air"] : []))
    }

    @Test func aRecordThatCannotBeReadIsReported() throws {
        var machine = DetectionMachine(.shipped)
        let begun = machine.begin(with: ["device.nova-sds011:A160": "{", "other": "{"], at: .boot)
        guard case .notify(let notice) = begun.first else {
            Issue.record("nothing is reported")
            return
        }
        #expect(begun.count == 1)
        #expect(notice.source == "nova-sds011:A160")
        #expect(notice.kind == .plain(.deviceNotRemembered))
    }

    @Test func withoutAWordOfTheStoreNobodyGetsANameThatAnotherHasHad() throws {
        var machine = DetectionMachine(.shipped)
        _ = machine.apply([.appeared(Self.device(1)), .appeared(Self.device(2))], at: .boot)
        _ = machine.begin(with: nil, at: .boot)
        let (dust, air) = (
            try Self.proof("nova-sds011", part: "A160"), try Self.proof("winsen-mhz19b", part: nil)
        )
        let late = machine.probeEnded(port: 1, dust, at: .boot)
        #expect(Self.names(late) == ["sds011-A160"])
        let other = machine.probeEnded(port: 2, air, at: .boot)
        #expect(Self.names(other) == ["mhz19b-port-usb-0-1.2-1.0"])
        #expect(machine.registry.records.isEmpty, "nothing that the store knows is overwritten")
        let settings = try [
            "device.nova-sds011:A161": DeviceRecord(name: "sds011", profile: "nova-sds011").json,
            "device.nova-sds011:A160": DeviceRecord(name: "sds011-2", profile: "nova-sds011").json,
        ]
        let begun = machine.begin(with: settings, at: .boot)
        let changes = begun.filter { action in
            switch action {
            case .probe, .save: false
            default: true
            }
        }
        #expect(
            changes == [
                .end(name: "sds011-A160"), .end(name: "mhz19b-port-usb-0-1.2-1.0"),
                .rename(from: "sds011-A160", to: "sds011-2"),
                .rename(from: "mhz19b-port-usb-0-1.2-1.0", to: "mhz19b"),
            ],
            "and what is new is remembered"
        )
        #expect(machine.registry.records.count == 3)
        #expect(Self.names(machine.probeEnded(port: 1, dust, at: .boot)) == ["sds011-2"])
        #expect(Self.names(machine.probeEnded(port: 2, air, at: .boot)) == ["mhz19b"])
    }

    @Test func whoIsMissedIsLookedForWhereSomebodyWasMute() throws {
        let record = DeviceRecord(name: "balcony", profile: "nova-sds011", port: nil)
        var machine = DetectionMachine(.shipped)
        let settings = ["device.nova-sds011:A160": try record.json]
        _ = machine.begin(with: settings, at: .boot)
        _ = machine.apply([.appeared(Self.device(1))], at: .boot)
        let mute = DetectionMachine.ProbeEnd.verdict(.unknown("it is silent"))
        #expect(!machine.probeEnded(port: 1, mute, at: .boot).isEmpty, "told")
        var (now, pauses) = (MonotonicInstant.boot, [Duration]())
        for _ in 0..<6 {
            let next = try #require(machine.nextDeadline)
            pauses.append(now.duration(to: next))
            now = next
            #expect(machine.timePassed(at: now).count == 1, "probed again")
            #expect(machine.probeEnded(port: 1, mute, at: now).isEmpty, "and not told again")
        }
        let seconds: [Int] = [30, 60, 120, 240, 300, 300]
        #expect(pauses == seconds.map { .seconds($0) })
        _ = machine.timePassed(at: now.advanced(by: .minutes(5)))
        let proof = try Self.proof("nova-sds011", part: "A160")
        #expect(Self.names(machine.probeEnded(port: 1, proof, at: now)) == ["balcony"])
        // Nobody is missing any more.
        _ = machine.apply([.appeared(Self.device(2))], at: now)
        _ = machine.probeEnded(port: 2, mute, at: now)
        #expect(machine.nextDeadline == nil)
    }

    @Test func theSecondOfOneNumberIsKnownByItsSocket() throws {
        var machine = DetectionMachine(.shipped)
        _ = machine.begin(with: [:], at: .boot)
        for number in 1...2 {
            _ = machine.apply([.appeared(Self.device(number, serial: "0001"))], at: .boot)
        }
        let proof = try Self.proof("plantower-pms", part: nil)
        let names = (1...2).flatMap { Self.names(machine.probeEnded(port: $0, proof, at: .boot)) }
        #expect(names == ["plantower", "plantower-2"])
        #expect(
            machine.registry.records.keys.sorted() == [
                "plantower-pms:port-usb-0:1.2:1.0", "plantower-pms:usb-0001",
            ]
        )
    }

    @Test func whatComesAndGoesIsLeftAloneLongerAndLonger() {
        var (detector, now) = (FlapDetector(), MonotonicInstant.boot)
        var pauses: [Duration] = []
        for _ in 0..<12 {
            now = now.advanced(by: .seconds(1))
            detector.left("port", after: .seconds(1), at: now)
            pauses.append(detector.holdOff("port", at: now) ?? .zero)
        }
        #expect(pauses.prefix(5) == [.zero, .zero, .seconds(2), .seconds(4), .seconds(8)])
        #expect(pauses.last == .minutes(1), "what stays for so long is steady again")
        detector.left("port", after: .minutes(1), at: now)
        #expect(detector.holdOff("port", at: now) == nil)
    }

    @Test func saysHowLongWhatComesAndGoesIsLeftAloneAndLooksAtOnceWhenAsked() throws {
        var (machine, now) = (DetectionMachine(.shipped), MonotonicInstant.boot)
        _ = machine.begin(with: [:], at: now)
        func probes(_ actions: [DetectionMachine.Action]) -> Int {
            actions.count { if case .probe = $0 { true } else { false } }
        }
        var told: [DetectionMachine.Action] = []
        for _ in 0..<6 {
            told = machine.apply([.appeared(Self.device(1))], at: now)
            now = now.advanced(by: .seconds(1))
            _ = machine.apply([.vanished(Self.device(1))], at: now)
        }
        told = machine.apply([.appeared(Self.device(1))], at: now)
        #expect(probes(told) == 0)
        #expect(machine.list(at: now).map(\.state) == ["found"])
        let held = "comes and goes; looked at again in 16 s, or by roost devices adopt"
        #expect(machine.list(at: now).map(\.why) == [held])
        now = now.advanced(by: .milliseconds(5_500))
        let later = "comes and goes; looked at again in 11 s, or by roost devices adopt"
        #expect(machine.list(at: now).map(\.why) == [later])
        let act = DetectionMachine.Act.adopt(profile: nil, name: nil)
        #expect(probes(try machine.act(act, on: "/dev/ttyUSB1", at: now)) == 1)
        // Nor is the part behind it held off.
        let proof = try Self.proof("nova-sds011", part: "A160")
        #expect(Self.names(machine.probeEnded(port: 7, proof, at: now)) == ["sds011"])
    }

    @Test func aNameThatSomebodyWantsForOneIsGivenToNoOther() throws {
        var machine = DetectionMachine(.shipped)
        _ = machine.begin(with: [:], at: .boot)
        for number in 1...3 {
            _ = machine.apply([.appeared(Self.device(number))], at: .boot)
        }
        let wish = DetectionMachine.Act.adopt(profile: nil, name: "plantower")
        _ = try machine.act(wish, on: "/dev/ttyUSB1", at: .boot)
        #expect(throws: DetectionRefusal.self) {
            try machine.act(wish, on: "/dev/ttyUSB3", at: .boot)
        }
        // The one that would be called so by itself is proved first.
        let other = try Self.proof("plantower-pms", part: nil)
        #expect(Self.names(machine.probeEnded(port: 2, other, at: .boot)) == ["plantower-2"])
        let proof = try Self.proof("nova-sds011", part: "A160")
        #expect(Self.names(machine.probeEnded(port: 1, proof, at: .boot)) == ["plantower"])
    }

    /// Two members of a family that look the same: what a person said holds after a plug.
    @Test func staysWhatAPersonSaidItIs() throws {
        var machine = DetectionMachine(.shipped)
        _ = machine.begin(with: [:], at: .boot)
        _ = machine.apply([.appeared(Self.device(1))], at: .boot)
        let proof = try Self.proof("plantower-pms", part: nil)
        #expect(Self.names(machine.probeEnded(port: 1, proof, at: .boot)) == ["plantower"])
        func adopt(_ profile: String, name: String? = nil) throws -> [String] {
            let act = DetectionMachine.Act.adopt(profile: profile, name: name)
            return Self.names(try machine.act(act, on: "/dev/ttyUSB1", at: .boot))
        }
        func probedAnew() -> [String] {
            _ = machine.apply([.vanished(Self.device(1))], at: .boot.advanced(by: .hours(1)))
            let now = MonotonicInstant.boot.advanced(by: .hours(2))
            let actions = machine.apply([.appeared(Self.device(1))], at: now)
            return actions.flatMap { action -> [String] in
                guard case .probe(let probe) = action else { return [] }
                let all = probe.candidates.map(\.profile).filter { $0.driver == "plantower" }
                return all.map(\.id) + [probe.expected ?? ""]
            }
        }
        #expect(try adopt("plantower-pms5003t", name: "hall") == ["hall"])
        #expect(probedAnew() == ["plantower-pms5003t", "plantower-pms5003t"])
        // And back.
        #expect(try adopt("plantower-pms") == ["plantower"])
        #expect(probedAnew() == ["plantower-pms", "plantower-pms"])
        // Forgotten, it may sleep, and is woken as another of its driver is.
        _ = try machine.act(
            .adopt(profile: "plantower-pms5003t", name: nil),
            on: "/dev/ttyUSB1",
            at: .boot
        )
        let forgotten = try machine.act(.forget, on: "/dev/ttyUSB1", at: .boot)
        #expect(
            forgotten.contains { action in
                if case .probe(let probe) = action {
                    probe.expected == "plantower-pms"
                } else {
                    false
                }
            }
        )
    }

    @Test func newProfilesConcernOnlyTheAdaptersThatTheyFit() throws {
        var machine = DetectionMachine(.shipped)
        _ = machine.begin(with: [:], at: .boot)
        let arduino = HotplugDevice(
            devpath: "/devices/usb1/1-1.9/ttyACM0/tty/ttyACM0",
            node: "/dev/ttyACM0",
            subsystem: "tty",
            properties: ["ID_VENDOR_ID": "2341", "ID_MODEL_ID": "0043"]
        )
        _ = machine.apply([.appeared(Self.device(1)), .appeared(arduino)], at: .boot)
        let proof = try Self.proof("nova-sds011", part: "A160")
        #expect(Self.names(machine.probeEnded(port: 1, proof, at: .boot)) == ["sds011"])
        #expect(machine.list(at: .boot).map(\.state) == ["adopted", "unknown"])
        func overlay(_ id: String, _ old: String, _ new: String) throws -> ProfileCatalog {
            let file = ShippedProfiles.files.first { $0.path == "shipped/\(id).json" }
            let bytes = try #require(file).contents.get()
            let text = String(decoding: bytes, as: UTF8.self).replacing(old, with: new)
            let mine = ProfileFile(path: "d/\(id).json", bytes: Array(text.utf8))
            let catalog = ProfileCatalog(overlay: [mine], reader: .checking)
            #expect(catalog.problems.isEmpty)
            return catalog
        }
        func configure(_ catalog: ProfileCatalog) -> [DetectionMachine.Action] {
            machine.configure(ports: [], names: [], isOn: true, catalog: catalog, at: .boot)
        }
        #expect(configure(.shipped).isEmpty, "the same profiles are no news")
        let probed = configure(
            try overlay(
                "winsen-mhz19b",
                #""1a86", "productID": "7523""#,
                #""2341", "productID": "0043""#
            )
        )
        guard case .probe(let probe)? = probed.first, probed.count == 1 else {
            Issue.record("\(probed)")
            return
        }
        #expect(probe.node == "/dev/ttyACM0")
        // Back to the shipped one, and another duty for what runs: it is found anew.
        let found = configure(
            try overlay("nova-sds011", #""periodSeconds": 300"#, #""periodSeconds": 600"#)
        )
        #expect(found.contains(.end(name: "sds011")))
        #expect(machine.list(at: .boot).map(\.state) == ["probing", "unknown", "absent"])
        guard case .start(let adoption)? = machine.probeEnded(port: 1, proof, at: .boot).first
        else {
            Issue.record("not started")
            return
        }
        #expect(adoption.name == "sds011")
    }

    @Test func recordsFitTheStoresSettings() throws {
        var record = DeviceRecord(name: String(repeating: "n", count: 64))
        record.profile = "safecast-bgeigie-nano"
        let long = HotplugDevice(
            devpath: "/devices/usb1",
            node: "/dev/ttyUSB0",
            subsystem: "tty",
            properties: ["ID_PATH": String(repeating: "p", count: 900)]
        )
        record.port = AdapterKey(long).description
        let key = "device.safecast-bgeigie-nano:\(AdapterKey(long))"
        #expect(key.utf8.count + (try record.json.utf8.count) <= 600)
    }
}
