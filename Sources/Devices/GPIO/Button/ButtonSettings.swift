import Core
import HardwareIO
import Profiles

/// Line of a button, and the times that turn its edges into presses.
///
/// The defaults fit a push button between a line and ground, on the pull-up of the pin.
package struct ButtonSettings: Hashable, Sendable {
    package var chipLabel: String?
    package var line: LineRequest.Line
    package var isActiveLow = true
    package var bias = LineRequest.Bias.pullUp

    /// How long the kernel wants a level to be steady, 1…500 ms; contacts bounce for up to 10 ms.
    package var debounce = Duration.milliseconds(30)
    /// How long a press must be held to be a long one, 0.1…60 s.
    package var longPress = Duration.seconds(1)
    /// How soon after a release the next press makes it a double one, 0…2 s; 0 never.
    package var doublePress = Duration.zero
    /// How long it may be held before it counts as stuck.
    var stuckAfter = Duration.minutes(1)
    /// Whether holding it for `claimHold` shows that a person is at the station.
    package var claims = false

    /// Whether holding it for `resetHold` gives the station away.
    package var resets = false

    /// Holding time that opens the claim window; a short or an accidental press does nothing.
    static let claimHold = Duration.seconds(5)

    /// Holding time that gives the station away.
    static let resetHold = Duration.seconds(15)
    /// Holding time from which on a lamp says that this is near.
    static let resetNear = Duration.seconds(3)

    /// More presses than this within `stormWindow` are a loose wire, not a finger.
    static let stormPresses = 30
    static let stormWindow = Duration.seconds(10)
    /// Time for which a storming line is released.
    package static let mute = Duration.minutes(5)

    package init(line: LineRequest.Line, chipLabel: String? = nil) {
        self.line = line
        self.chipLabel = chipLabel
    }

    /// Reads settings from a profile, or from a configuration that overrides it.
    package mutating func read(_ reader: inout ObjectReader) {
        isActiveLow = reader.bool("activeLow") ?? isActiveLow
        let names = ["asIs", "disabled", "pullUp", "pullDown"]
        bias = reader.string("bias", in: names).flatMap(LineRequest.Bias.init) ?? bias
        debounce = reader.seconds("debounceSeconds", in: 0.001...0.5) ?? debounce
        longPress = reader.seconds("longPressSeconds", in: 0.1...60) ?? longPress
        claims = reader.bool("claims") ?? claims
        resets = reader.bool("resets") ?? resets
        doublePress = reader.seconds("doublePressSeconds", in: 0...2) ?? doublePress
    }

    /// The request for the line: an input that reports both edges.
    package func request(consumer: String) -> LineRequest {
        LineRequest(
            chipLabel: chipLabel,
            lines: [line],
            direction: .input(edges: .both, bias: bias, debounce: debounce),
            isActiveLow: isActiveLow,
            consumer: consumer
        )
    }
}
