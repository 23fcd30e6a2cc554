import Core
import HardwareIO

/// Debounces edges where the kernel does not: an edge counts once its line has been still.
///
/// Pure. Edges carry the time at which the period ended, as the kernel's own debouncer stamps them,
/// and are counted anew from 1: those that bounced are not lost edges.
///
/// - Source: Linux 6.12, `drivers/gpio/gpiolib-cdev.c`, `debounce_work_func`.
struct GPIODebouncer {
    private struct Line {
        /// The level reported last.
        var isActive: Bool
        var pending: EdgeEvent?
        var sequence: UInt32 = 0
    }

    private let period: Duration
    private let detection: LineRequest.EdgeDetection
    private var lines: [Line]

    /// Starts from the values the lines have, one for each.
    init(period: Duration, detection: LineRequest.EdgeDetection, values: [Bool]) {
        self.period = period
        self.detection = detection
        lines = values.map { Line(isActive: $0) }
    }

    /// When the next pending edge counts if nothing happens until then.
    var nextDue: MonotonicInstant? {
        lines.compactMap(\.pending?.instant).min()?.advanced(by: period)
    }

    /// Feeds raw edges in order of time; returns those that counted before them.
    mutating func apply(_ edges: [EdgeEvent]) -> [EdgeEvent] {
        var counted: [EdgeEvent] = []
        for edge in edges {
            counted += settle(before: edge.instant)
            let isChange = edge.isRising != lines[edge.line].isActive
            lines[edge.line].pending = isChange ? edge : nil
        }
        return counted
    }

    /// Sets the values that the lines have once every waiting edge is read.
    ///
    /// Without kernel debounce a line's queue holds 16 edges and the newest are lost beyond that:
    /// after a burst the last edge may be none of those that were read.
    ///
    /// - Source: Linux 6.1, `drivers/gpio/gpiolib-cdev.c`, `lineevent_irq_thread`.
    mutating func correct(_ values: [Bool], at instant: MonotonicInstant) {
        for (index, value) in values.enumerated() {
            let line = lines[index]
            guard value != line.pending?.isRising ?? line.isActive else { continue }
            let edge = EdgeEvent(line: index, isRising: value, instant: instant, sequence: 0)
            lines[index].pending = value == line.isActive ? nil : edge
        }
    }

    /// Returns the edges whose lines have been still for the period by `instant`.
    mutating func settle(before instant: MonotonicInstant) -> [EdgeEvent] {
        var counted: [EdgeEvent] = []
        for index in lines.indices {
            guard let edge = lines[index].pending,
                edge.instant.advanced(by: period) <= instant
            else { continue }
            lines[index].pending = nil
            lines[index].isActive = edge.isRising
            guard detection == .both || (detection == .rising) == edge.isRising else { continue }
            lines[index].sequence &+= 1
            counted.append(
                EdgeEvent(
                    line: index,
                    isRising: edge.isRising,
                    instant: edge.instant.advanced(by: period),
                    sequence: lines[index].sequence
                )
            )
        }
        return counted.sorted { $0.instant < $1.instant }
    }
}
