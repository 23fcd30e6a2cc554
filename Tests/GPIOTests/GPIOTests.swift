import CGPIOD
import Core
import Glibc
import HardwareIO
import Testing

@testable import LinuxIO

private let soc = "pinctrl-bcm2711"
private let expander = "raspberrypi-exp-gpio"

/// Runs on the real libgpiod, over a stand-in for the kernel below it.
@Suite(
    .serialized,
    .enabled(if: GPIOStandIn.isPresent, "needs the stand-in for the kernel: run scripts/check gpio")
)
struct GPIOTests {
    private let kernel = GPIOStandIn()
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    // MARK: - Finding

    @Test func listsEachChipOnceWithItsLines() throws {
        kernel.occupy(10, by: "spi0")
        let chips = LinuxGPIO.chips()
        #expect(chips.map(\.path) == ["/dev/gpiochip0", "/dev/gpiochip1"])
        #expect(chips.map(\.label) == [soc, expander])
        #expect(chips.map(\.lines.count) == [58, 8])
        let line = try #require(chips.first?.lines[10])
        #expect(line.name == "GPIO10" && line.isUsed && line.consumer == "spi0")
        #expect(chips.first?.lines[40].name == nil)
    }

    @Test func namesAChipThatItMayNotOpen() {
        kernel.deny(chip: 1, errno: EACCES)
        let chip = LinuxGPIO.chips().last
        let problem = noPermission("/dev/gpiochip1")
        #expect(chip?.label == nil && chip?.problem == problem)
        #expect(problem.description.contains("owner root, group"))
        #expect(throws: problem) { try request(.name("BT_ON"), chip: nil) }
        // The other chip is as good as ever.
        #expect(throws: Never.self) { try request(.name("GPIO4"), chip: soc) }
    }

    @Test func takesTheFirstChipThatHasAllTheLines() throws {
        let lines = try request(.name("BT_ON"), .name("SD_OC_N"), chip: nil)
        #expect(kernel.isUsed(0, chip: 1) && kernel.isUsed(7, chip: 1))
        #expect(!kernel.isUsed(0, chip: 0))
        lines.release()
    }

    @Test func takesLinesByOffset() throws {
        let lines = try request(.offset(57), chip: soc)
        #expect(kernel.isUsed(57))
        lines.release()
        let error = GPIOError.noLine(line: "line 58", chip: soc)
        #expect(throws: error) { try request(.offset(58), chip: soc) }
    }

    @Test func listsTheLabelsThereAreWhenAChipIsMissing() {
        let error = GPIOError.noChip(label: "pinctrl-rp1", present: [soc, expander])
        #expect(throws: error) { try request(.name("GPIO4"), chip: "pinctrl-rp1") }
        kernel.unplug(chip: 0)
        kernel.unplug(chip: 1)
        let none = GPIOError.noChip(label: "pinctrl-rp1", present: [])
        #expect(throws: none) { try request(.name("GPIO4"), chip: "pinctrl-rp1") }
    }

    @Test func namesTheMissingLine() {
        let here = GPIOError.noLine(line: "GPIO99", chip: soc)
        #expect(throws: here) { try request(.name("GPIO4"), .name("GPIO99"), chip: soc) }
        let anywhere = GPIOError.noLine(line: "GPIO99", chip: "\(soc) or \(expander)")
        #expect(throws: anywhere) { try request(.name("GPIO99"), chip: nil) }
    }

    @Test func namesTheHolderOfABusyLineAndTakesNone() {
        kernel.occupy(10, by: "spi0 CS0")
        let error = GPIOError.busy(
            line: "GPIO10",
            chip: soc,
            holder: "spi0 CS0",
            hint: PinHint.text(lineNames: ["GPIO10"])
        )
        #expect(throws: error) { try requestLamps() }
        #expect(!kernel.isUsed(9) && !kernel.isUsed(11))
        #expect(error.description.contains("in use by spi0 CS0; GPIO9–11 belong to SPI0"))
    }

    @Test func refusesLinesThatWeHoldOurselves() throws {
        let lamps = try requestLamps()
        let hint = PinHint.text(lineNames: ["GPIO9"])
        let error = GPIOError.busy(line: "GPIO9", chip: soc, holder: "roost-test", hint: hint)
        #expect(throws: error) { try requestLamps() }
        lamps.release()
        try requestLamps().release()
    }

    // MARK: - Outputs

    @Test func changesAllLampsInOneCall() throws {
        let lamps = try requestLamps()
        let before = kernel.allCalls
        try lamps.set([false, false, true])
        #expect(kernel.allCalls - before == 1)
        #expect(kernel.setCalls == 1)
        #expect([9, 10, 11].map { kernel.level($0) } == [false, false, true])
        #expect(try lamps.values() == [false, false, true])
        lamps.release()
    }

    @Test(arguments: [false, true]) func startsWithTheInitialValues(isActiveLow: Bool) throws {
        let lamps = try requestLamps([true, false, true], isActiveLow: isActiveLow)
        let levels = [true, false, true].map { $0 != isActiveLow }
        #expect([9, 10, 11].map { kernel.level($0) } == levels)
        #expect(try lamps.values() == [true, false, true])
        #expect(kernel.setCalls == 0)
        try lamps.set([false, true, false])
        #expect([9, 10, 11].map { kernel.level($0) } == levels.map { !$0 })
        lamps.release()
    }

    @Test func keepsTheOrderOfTheRequest() throws {
        let lamps = try LinuxGPIO.requestLines(
            LineRequest(
                chipLabel: soc,
                lines: [.name("GPIO11"), .name("GPIO9")],
                direction: .output(initially: [true, false]),
                consumer: "roost-test"
            ),
            on: loop
        )
        #expect(kernel.level(11) && !kernel.level(9))
        try lamps.set([false, true])
        #expect(!kernel.level(11) && kernel.level(9))
        #expect(try lamps.values() == [false, true])
        lamps.release()
    }

    @Test func saysThatTheChipWentAway() throws {
        let lamps = try requestLamps()
        kernel.unplug(chip: 0)
        #expect(throws: GPIOError.disconnected(chip: soc)) { try lamps.set([true, true, true]) }
        #expect(throws: GPIOError.disconnected(chip: soc)) { try lamps.values() }
        lamps.release()
    }

    @Test func givesTheLinesBackOnce() throws {
        let lamps = try requestLamps()
        lamps.release()
        lamps.release()
        #expect(!kernel.isUsed(9))
        #expect(throws: GPIOError.disconnected(chip: soc)) { try lamps.set([true, true, true]) }
    }

    @Test func givesTheLinesBackWhenForgotten() throws {
        do { _ = try requestLamps() }
        #expect(!kernel.isUsed(9) && !kernel.isUsed(11))
    }
}

extension GPIOTests {
    // MARK: - Requests

    private func request(
        _ lines: LineRequest.Line...,
        chip: String?
    ) throws(GPIOError) -> any GPIOLines {
        try LinuxGPIO.requestLines(
            LineRequest(
                chipLabel: chip,
                lines: lines,
                direction: .input(edges: .both, bias: .asIs, debounce: .zero),
                consumer: "roost-test"
            ),
            on: loop
        )
    }

    private func requestLamps(
        _ values: [Bool] = [false, false, false],
        isActiveLow: Bool = false
    ) throws(GPIOError) -> any GPIOLines {
        try LinuxGPIO.requestLines(
            LineRequest(
                chipLabel: soc,
                lines: [.name("GPIO9"), .name("GPIO10"), .name("GPIO11")],
                direction: .output(initially: values),
                isActiveLow: isActiveLow,
                consumer: "roost-test"
            ),
            on: loop
        )
    }

    private func noPermission(_ path: String) -> GPIOError {
        let file = FileOwnership.of(path)
        return .noPermission(path: path, owner: file.owner, group: file.group, mode: file.mode)
    }
}
