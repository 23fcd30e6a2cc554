import Configuration
import HardwareIO
import Synchronization

/// The lines that drivers of the station hold now, for trials; one trial at a time.
///
/// Bound: one entry for each device on pins, and one for the lamps.
package final class PinTaps: Sendable {
    private struct Tap {
        weak var lines: TappedLines?
    }

    private struct State {
        var taps: [String: Tap] = [:]
        var isTrying = false
    }

    private let state = Mutex(State())

    /// Returns the lines for their driver, and knows them while the driver has them.
    func tapping(
        _ lines: any GPIOLines,
        _ request: LineRequest,
        of device: String
    ) -> any GPIOLines {
        let tapped = TappedLines(lines, of: request)
        state.withLock { state in
            state.taps = state.taps.filter { $0.value.lines != nil }
            state.taps[device] = Tap(lines: tapped)
        }
        return tapped
    }

    /// The lines of a device, and which of them is meant; nil while it does not have them.
    func lines(of used: UsedLine) -> (lines: TappedLines, index: Int)? {
        guard let lines = state.withLock({ $0.taps[used.device]?.lines }) else { return nil }
        return lines.request.lines.firstIndex(of: used.line).map { (lines, $0) }
    }

    /// Begins a trial, unless another one is under way.
    func begin() -> Bool {
        state.withLock { state in
            defer { state.isTrying = true }
            return !state.isTrying
        }
    }

    func end() { state.withLock { $0.isTrying = false } }
}
