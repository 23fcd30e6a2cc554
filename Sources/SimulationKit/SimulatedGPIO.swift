import Core
import HardwareIO
import Synchronization

/// GPIO chips without a board: lines driven by a test, outputs remembered, faults on request.
///
/// Obeys the kernel's rules: a request gets all its lines or none, edges carry the instant they
/// happened and a number for each line, and a full queue loses edges.
package final class SimulatedGPIO: Sendable {
    /// A chip as the kernel shows it.
    package struct Chip: Hashable, Sendable {
        package let label: String
        /// The device file, for errors: `/dev/gpiochip0`.
        package let path: String
        /// Names of the lines by offset, at most 64; nil for a line without a name.
        package let lineNames: [String?]

        package init(label: String, path: String, lineNames: [String?]) {
            precondition(lineNames.count <= 64, "a simulated chip has at most 64 lines")
            self.label = label
            self.path = path
            self.lineNames = lineNames
        }

        /// The pins of a Raspberry Pi 4.
        ///
        /// - Source: `bcm2711-rpi-4-b.dts`: 58 lines, the first two of them `ID_SDA`, `ID_SCL`.
        package static let raspberryPi4 = Chip(
            label: "pinctrl-bcm2711",
            path: "/dev/gpiochip0",
            lineNames: ["ID_SDA", "ID_SCL"] + (2...27).map { "GPIO\($0)" }
                + Array(repeating: nil, count: 30)
        )
    }

    /// The edge that a full queue drops.
    package enum QueueRule: Sendable {
        /// Loses the oldest: the kernel's second interface, libgpiod 2.x.
        case dropsOldest
        /// Loses the newest: the first interface, libgpiod 1.6.
        case dropsNewest
    }

    /// Faults that can be made here, and are counted when they occur.
    package enum Fault: String, Sendable, CaseIterable {
        case busy, missingChip, noPermission, disconnected, overrun, stuck
    }

    /// One call of `set`.
    package struct OutputChange: Hashable, Sendable {
        package let instant: MonotonicInstant
        package let consumer: String
        /// Logical values, in the order of the request.
        package let values: [Bool]
    }

    /// How many calls of `set` are remembered; beyond that the oldest half is forgotten.
    static let historyLimit = 100_000

    private let clock: any NodeClock
    private let state: Mutex<SimulatedGPIOState>

    package init(
        chips: [Chip] = [.raspberryPi4],
        queueRule: QueueRule = .dropsOldest,
        clock: any NodeClock
    ) {
        self.clock = clock
        state = Mutex(SimulatedGPIOState(chips: chips, queueRule: queueRule))
    }

    /// Requests lines, all or none.
    ///
    /// - Throws: `GPIOError`, as the request would be refused on a board.
    package func requestLines(_ request: LineRequest) throws(GPIOError) -> any GPIOLines {
        let signal = Signal()
        let now = clock.now
        let (id, chip) = try state.withLock { state throws(GPIOError) in
            try state.open(request, signal: signal, at: now)
        }
        return SimulatedGPIOLines(gpio: self, id: id, chip: chip, signal: signal, clock: clock)
    }
}

// Changes that tests and demos make to the lines.
extension SimulatedGPIO {
    /// Puts an input at a level from outside, as a sensor would.
    ///
    /// - Parameters:
    ///   - line: The line's name, which exists.
    ///   - value: The voltage: high or low, before the active level is applied.
    ///   - instant: When the kernel saw it; nil for now.
    package func drive(_ line: String, _ value: Bool, at instant: MonotonicInstant? = nil) {
        let instant = instant ?? clock.now
        state.withLock { $0.drive(line, value, at: instant) }?.raise()
    }

    /// Turns a line over again and again, evenly, beginning at once.
    ///
    /// - Throws: `CancellationError`.
    package func storm(_ line: String, edgesPerSecond: Int, for duration: Duration) async throws {
        precondition((1...1_000_000).contains(edgesPerSecond))
        let start = clock.now
        let gap = Duration.seconds(1) / edgesPerSecond
        var index = 0
        while gap * index < duration, !Task.isCancelled {
            try await clock.sleep(until: start.advanced(by: gap * index))
            drive(line, !level(of: line))
            index += 1
        }
    }

    /// Holds an input at a level against every driver; nil releases it at its present level.
    package func stick(_ line: String, at value: Bool?) {
        let now = clock.now
        state.withLock { $0.stick(line, at: value, now: now) }?.raise()
    }

    /// Lets another process hold a line; nil releases it.
    package func hold(_ line: String, by holder: String?, hint: String? = nil) {
        state.withLock { $0.hold(line, by: holder, hint: hint) }
    }

    /// Refuses or allows every request.
    package func setPermitted(_ isPermitted: Bool) {
        state.withLock { $0.isPermitted = isPermitted }
    }

    /// Removes a chip, with every request on it.
    package func disconnect(chip label: String) {
        for signal in state.withLock({ $0.disconnect(chip: label) }) { signal.raise() }
    }

    /// Brings a chip back; its lines are free and low.
    package func reconnect(chip label: String) {
        state.withLock { $0.reconnect(chip: label) }
    }

    /// The voltage of a line.
    package func level(of line: String) -> Bool { state.withLock { $0.level(of: line) } }

    /// The chips that are there, as the kernel would list them.
    package var chips: [GPIOChipReport] { state.withLock { $0.reports } }

    /// Returns the holder of a line, or nil.
    package func holder(of line: String) -> String? { state.withLock { $0.holder(of: line) } }

    /// Every call of `set`, oldest first, within `historyLimit`.
    package var history: [OutputChange] { state.withLock { $0.history } }

    /// How often outputs were set, the first values of a request not counted.
    var setCount: Int { state.withLock { $0.setCount } }

    /// How often each fault has fired.
    package func count(of fault: Fault) -> Int {
        state.withLock { $0.faultCounts[fault, default: 0] }
    }
}

// Calls that a request for lines makes.
extension SimulatedGPIO {
    func values(_ id: Int) throws(GPIOError) -> [Bool] {
        try state.withLock { state throws(GPIOError) in try state.values(id) }
    }

    func set(_ id: Int, _ values: [Bool]) throws(GPIOError) {
        let now = clock.now
        try state.withLock { state throws(GPIOError) in try state.set(id, values, at: now) }
    }

    func takeEdges(_ id: Int) throws(GPIOError) -> [EdgeEvent] {
        try state.withLock { state throws(GPIOError) in try state.takeEdges(id) }
    }

    func release(_ id: Int) { state.withLock { $0.release(id) } }
}
