import Glibc
import Provisioning
import Testing

@Suite struct BootSlotsTests {
    @Test func readsWhatItWrites() {
        for good in RootSlot.allCases {
            for trial in [nil, RootSlot.first, .second] {
                let slots = BootSlots(
                    good: good,
                    trial: trial,
                    number: trial == nil ? "" : "17",
                    tried: "3"
                )
                #expect(slots.sector.count == BootSlots.sectorByteCount)
                let text = String(decoding: slots.sector, as: UTF8.self)
                #expect(BootSlots(slotText: text, triedText: "tried=3\n") == slots)
            }
        }
    }

    /// Reads as the boot loader does: unknown text means the first root, and no trial.
    @Test(
        arguments: [
            (nil, .first, nil), ("", .first, nil), ("slot=3", .second, nil),
            ("slot=2\nslot=3\n", .second, nil), ("slot=3\r\n", .first, nil),
            ("# slot=3\nslot=2\n", .first, nil), ("slot=4\ntrial=5\n", .first, nil),
            ("slot=2\ntrial=3\nnumber=1", .first, .second), ("slot=3\0\ntrial=2", .second, nil),
            (" slot=3\n", .second, nil), ("\u{FEFF}slot=3\n", .first, nil),
            ("slot=3\nslot=\n", .first, nil),
        ] as [(String?, RootSlot, RootSlot?)]
    )
    func readsAsTheBootLoaderDoes(_ text: String?, _ good: RootSlot, _ trial: RootSlot?) {
        let slots = BootSlots(slotText: text, triedText: nil)
        #expect(slots.good == good && slots.trial == trial)
    }

    @Test func givesEachTrialANumberOfItsOwn() {
        var slots = BootSlots(good: .first, tried: "16")
        slots = slots.trying(.second)
        #expect(slots.number == "17" && slots.isTrialWaiting)
        #expect(slots.trying(.second).number == "18")
        for odd in ["", "x", "-4", "999999999", "9999999999999999999999"] {
            let next = BootSlots(good: .first, number: odd, tried: odd).trying(.second)
            #expect(next.isTrialWaiting, "\(odd)")
            #expect(next.sector.count == BootSlots.sectorByteCount)
        }
    }

    /// `BootStart` says what the script does; a change of one asks for a change of the other.
    @Test func decidesAsTheScriptOfTheCard() throws {
        let text = try #require(Self.read("packaging/image/boot/boot.txt"))
        let lines = Set(text.split(separator: "\n").map { $0.trimming(" ") })
        for line in [
            #"if test "${slot}" != 3; then setenv slot 2; fi"#, "setenv part ${slot}",
            #"if test "${trial}" = 2 || test "${trial}" = 3; then"#,
            #"if test "${tried}" != "${number}"; then"#, "setenv tried ${number}",
            "if fatwrite ${devtype} ${devnum}:1 ${text_at} /tried.txt 0x200; "
                + "then setenv part ${trial}; fi",
            "for one in ${part} ${slot} 2 3; do",
        ] {
            #expect(lines.contains(line), "boot.txt lacks: \(line)")
        }
    }

    private static func read(_ name: String) -> String? {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        guard let file = fopen("/\(root)/\(name)", "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    @Test func startsWhatCanBeLoaded() {
        let slots = BootSlots(good: .second, trial: .first, number: "2", tried: "1")
        #expect(BootStart(slots) { _ in true }.root == .first)
        #expect(BootStart(slots) { $0 == .second }.root == .second)
        // Counted as tried, also when it could not be loaded.
        #expect(BootStart(slots) { $0 == .second }.tried == "2")
        #expect(BootStart(slots) { _ in false }.root == nil)
        let readOnly = BootStart(slots, canWrite: false) { _ in true }
        #expect(readOnly.root == .second && readOnly.tried == "1")
        let tried = BootSlots(good: .second, trial: .first, number: "2", tried: "2")
        #expect(BootStart(tried) { _ in true }.root == .second)
        #expect(BootStart(tried) { $0 == .first }.root == .first)
    }

    @Test func knowsWhereAStationIsInATrial() {
        func state(_ trial: RootSlot?, _ tried: String, _ running: RootSlot) -> TrialState {
            let slots = BootSlots(
                good: .first,
                trial: trial,
                number: trial == nil ? "" : "2",
                tried: tried
            )
            return TrialState(slots, running: running)
        }
        #expect(state(nil, "1", .first) == .settled)
        #expect(state(nil, "", .first) == .settled)
        #expect(state(nil, "1", .second) == .standIn(good: .first))
        #expect(state(.second, "1", .first) == .waiting(.second))
        #expect(state(.second, "2", .second) == .onTrial(.second))
        #expect(state(.second, "2", .first) == .fellBack(from: .second))
        #expect(state(.second, "1", .second) == .standIn(good: .first))
        #expect(state(.first, "1", .first) == .settled)
    }
}

extension StringProtocol {
    fileprivate func trimming(_ character: Character) -> String {
        let start = drop { $0 == character }
        return String(start.reversed().drop { $0 == character }.reversed())
    }
}
