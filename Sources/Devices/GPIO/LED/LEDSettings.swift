import HardwareIO
import Profiles

/// GPIO line of one LED.
package struct LEDSettings: Hashable, Sendable {
    package var chipLabel: String?
    package var line: LineRequest.Line
    /// True when it lights at low voltage.
    package var isActiveLow = false

    package init(line: LineRequest.Line, chipLabel: String? = nil) {
        self.line = line
        self.chipLabel = chipLabel
    }

    /// Reads settings from a profile, or from a configuration that overrides it.
    package mutating func read(_ reader: inout ObjectReader) {
        isActiveLow = reader.bool("activeLow") ?? isActiveLow
    }

    /// The request for the line: dark at first.
    package func request(consumer: String) -> LineRequest {
        LineRequest(
            chipLabel: chipLabel,
            lines: [line],
            direction: .output(initially: [false]),
            isActiveLow: isActiveLow,
            consumer: consumer
        )
    }
}
