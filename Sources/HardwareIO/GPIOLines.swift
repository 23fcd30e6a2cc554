import Core

/// Request for GPIO lines, with their direction.
///
/// Chips by label and lines by name: numbers differ between Pi models.
package struct LineRequest: Hashable, Sendable {
    package enum Direction: Hashable, Sendable {
        /// An input that reports edges.
        case input(edges: EdgeDetection, bias: Bias, debounce: Duration)
        /// Outputs, with the values they start with.
        case output(initially: [Bool])
    }

    package enum EdgeDetection: Hashable, Sendable { case rising, falling, both }
    package enum Bias: String, Hashable, Sendable { case asIs, disabled, pullUp, pullDown }

    /// A line by its name (`GPIO17`) or, where lines have no names, by its offset on the chip.
    package enum Line: Hashable, Sendable, CustomStringConvertible {
        case name(String)
        case offset(Int)

        package var description: String {
            switch self {
            case .name(let name): name
            case .offset(let offset): "line \(offset)"
            }
        }
    }

    /// The chip's label (`pinctrl-bcm2711`); nil means the first chip that has the named lines.
    package let chipLabel: String?
    /// 1…64 lines, requested together: all or none.
    package let lines: [Line]
    package let direction: Direction
    package let isActiveLow: Bool
    /// Our name, shown to other programs that find the line busy.
    package let consumer: String

    package init(
        chipLabel: String?,
        lines: [Line],
        direction: Direction,
        isActiveLow: Bool = false,
        consumer: String
    ) {
        self.chipLabel = chipLabel
        self.lines = lines
        self.direction = direction
        self.isActiveLow = isActiveLow
        self.consumer = consumer
    }
}

/// One change of one line, with the kernel's own time stamp.
package struct EdgeEvent: Hashable, Sendable {
    /// Index into `LineRequest.lines`.
    package let line: Int
    /// Inactive to active, after `isActiveLow`.
    package let isRising: Bool
    /// Instant at which the kernel saw the edge.
    package let instant: MonotonicInstant
    /// Counts every edge of the line from 1; a jump shows how many the kernel dropped.
    package let sequence: UInt32

    package init(line: Int, isRising: Bool, instant: MonotonicInstant, sequence: UInt32) {
        self.line = line
        self.isRising = isRising
        self.instant = instant
        self.sequence = sequence
    }
}

/// Lines held by one request.
///
/// Changing several is one system call, so never half a change.
package protocol GPIOLines: Sendable {
    /// Logical values, in the order of the request; active level applied.
    func values() throws(GPIOError) -> [Bool]

    /// Sets every line at once.
    func set(_ values: [Bool]) throws(GPIOError)

    /// Waits for edges. One task waits at a time.
    ///
    /// - Returns: At least one edge in order of time, or nil when the deadline passed with none.
    /// - Throws: `GPIOError.disconnected`; `CancellationError`.
    func edges(
        until deadline: MonotonicInstant?,
        tolerance: Duration
    ) async throws -> [EdgeEvent]?

    /// Gives the lines back. Safe to call twice.
    func release()
}

/// Failures of a GPIO line.
///
/// Each names the chip and the line.
package enum GPIOError: Error, Hashable, Sendable {
    /// No chip with that label; the labels there are.
    case noChip(label: String, present: [String])
    /// No such line on the chip.
    case noLine(line: String, chip: String)
    /// Another process has requested it: its consumer name, and a hint such as SPI0 for GPIO 9, 10,
    /// 11.
    case busy(line: String, chip: String, holder: String?, hint: String?)
    case noPermission(path: String, owner: String, group: String, mode: String)
    case disconnected(chip: String)
    /// Any other failure of a call.
    case system(call: String, errno: Int32, chip: String)
}

extension GPIOError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noChip(_, let present) where present.isEmpty:
            "this machine has no GPIO chip; /dev/gpiochip0 would be one"
        case .noChip(let label, let present):
            "no GPIO chip labelled \(label); there are \(present.joined(separator: ", "))"
        case .noLine(let line, let chip): "\(chip) has no line named \(line)"
        case .busy(let line, let chip, let holder, let hint):
            "\(line) of \(chip) is in use by \(holder ?? "another program")"
                + (hint.map { "; \($0)" } ?? "")
        case .noPermission(let path, let owner, let group, let mode):
            "\(path): no permission (owner \(owner), group \(group), mode \(mode)); "
                + "run `sudo usermod -aG \(group) USER` and log in again"
        case .disconnected(let chip): "GPIO chip \(chip) went away"
        case .system(let call, let errno, let chip):
            "GPIO chip \(chip): \(call) failed with errno \(errno)"
        }
    }
}
