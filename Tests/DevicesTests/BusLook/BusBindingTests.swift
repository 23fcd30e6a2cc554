import HardwareIO
import Testing

@Suite struct BusBindingTests {
    private let bme = BusPart(bus: 1, address: 0x76, name: "bme280")
    private let lux = BusPart(bus: 1, address: 0x23, name: "bh1750")

    private func acts(
        _ parts: [BusPart],
        _ known: [I2CBusEntry.Part] = [],
        after last: [BusResult.Line] = []
    ) -> [BusBinding.Act] {
        BusBinding.acts(
            for: BusPartList(parts),
            names: ["bme280", "bmp280", "bh1750"],
            on: [I2CBusEntry(number: 1, name: "bcm2835", parts: known)],
            after: BusResult(of: [], last)
        )
    }

    @Test func whatIsNewIsBoundAndWhatIsThereStays() {
        let known = I2CBusEntry.Part(address: 0x76, name: "bme280", driver: "bmp280")
        let made = BusResult.Line(bme, .bound, "bmp280")
        #expect(acts([bme, lux], [known], after: [made]) == [.keep(bme), .add(lux)])
    }

    /// By an overlay, or another program: it is never taken back.
    @Test func whatSomethingElseBoundIsLeftAlone() {
        let known = I2CBusEntry.Part(address: 0x76, name: "bme280", driver: "bmp280")
        #expect(acts([bme], [known]) == [.refuse(bme, .elsewhere, "bmp280")])
        let line = BusResult.Line(bme, .elsewhere, "bmp280")
        #expect(acts([bme], [known], after: [line]) == [.refuse(bme, .elsewhere, "bmp280")])
        #expect(acts([], [known], after: [line]) == [])
        #expect(acts([bme], [], after: [line]) == [.add(bme)], "the overlay is gone")
    }

    @Test func whatRootMadeGoesWithItsLine() {
        let known = I2CBusEntry.Part(address: 0x76, name: "bme280", driver: "bmp280")
        let made = BusResult.Line(bme, .bound, "bmp280")
        #expect(acts([], [known], after: [made]) == [.delete(bme)])
        #expect(acts([], [known]) == [], "another has bound it")
        #expect(acts([], [], after: [made]) == [], "it is gone already")
    }

    @Test func anotherNameTakesTheAddressOfTheOldOne() {
        let other = BusPart(bus: 1, address: 0x76, name: "bmp280")
        let known = I2CBusEntry.Part(address: 0x76, name: "bme280", driver: nil)
        let made = BusResult.Line(bme, .undriven)
        #expect(acts([other], [known], after: [made]) == [.delete(bme), .add(other)])
        #expect(acts([other], [known]) == [.refuse(other, .taken, "bme280")])
    }

    @Test func namesAndBusesThatAreNotKnownAreRefused() {
        let evil = BusPart(bus: 1, address: 0x50, name: "slave-24c02")
        let far = BusPart(bus: 9, address: 0x76, name: "bme280")
        #expect(acts([evil, far]) == [.refuse(evil, .unknown, nil), .refuse(far, .noBus, nil)])
    }

    /// Whether a run ends before its first act or behind its last: the next one knows its parts.
    @Test func aRunThatIsEndedLeavesItsPartsToTheNext() {
        let known = I2CBusEntry.Part(address: 0x76, name: "bme280", driver: "bmp280")
        let light = I2CBusEntry.Part(address: 0x23, name: "bh1750", driver: nil)
        let binding = acts([lux], [known], after: [.init(bme, .bound, "bmp280")])
        #expect(binding == [.delete(bme), .add(lux)])
        let plan = BusBinding.plan(binding)
        #expect(acts([lux], [known], after: plan) == binding, "nothing was done")
        #expect(acts([lux], [light], after: plan) == [.keep(lux)], "all was done")
        #expect(acts([], [light, known], after: plan) == [.delete(lux), .delete(bme)])
        let foreign = acts([bme], [known])
        #expect(BusBinding.plan(foreign) == [.init(bme, .elsewhere, "bmp280")])
        let made = acts([bme], [known], after: [.init(bme, .bound, "bmp280")])
        #expect(acts([bme], [known], after: BusBinding.plan(made)) == [.keep(bme)])
        let asked = BusPartList([lux]).asked(after: nil).bytes
        #expect(!BusResult(of: [], plan).answers(asked))
    }

    /// A driver that was busy: the kernel is asked again at the next run.
    @Test func whatTheKernelKeptIsAskedForAgain() {
        let known = I2CBusEntry.Part(address: 0x76, name: "bme280", driver: "bmp280")
        let kept = BusResult.Line(bme, .kept)
        #expect(acts([lux], [known], after: [kept]) == [.delete(bme), .add(lux)])
        #expect(acts([bme], [known], after: [kept]) == [.keep(bme)], "it is wanted again")
    }
}
