import Testing

@testable import Provisioning

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

    @Test func knowsAFileSystemByItsMagic() {
        var beginning = [UInt8](repeating: 0, count: 4_096)
        #expect(!RootSlot.holdsFileSystem(beginning) && !RootSlot.holdsFileSystem([]))
        (beginning[0x438], beginning[0x439]) = (0x53, 0xEF)
        #expect(RootSlot.holdsFileSystem(beginning))
        #expect(!RootSlot.holdsFileSystem(Array(beginning.prefix(0x439))))
    }
}
