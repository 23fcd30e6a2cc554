import HardwareIO
import Profiles

/// GPIO lines of the three lamps.
///
/// The default pins are those of SPI0: while SPI is on they are busy, and the GPIO layer says so.
package struct TrafficLightSettings: Hashable, Sendable {
    /// The chip's label; nil takes the first chip that has all three lines.
    package var chipLabel: String?
    package var red = LineRequest.Line.name("GPIO9")
    package var yellow = LineRequest.Line.name("GPIO10")
    package var green = LineRequest.Line.name("GPIO11")
    /// True when a lamp lights at low voltage.
    package var isActiveLow = false

    package init(chipLabel: String? = nil) { self.chipLabel = chipLabel }

    /// Reads settings from a profile, or from a configuration that overrides it.
    package mutating func read(_ reader: inout ObjectReader) {
        red = reader.line("red") ?? red
        yellow = reader.line("yellow") ?? yellow
        green = reader.line("green") ?? green
        isActiveLow = reader.bool("activeLow") ?? isActiveLow
    }

    /// Describes the mistake in the settings; nil when there is none.
    package var complaint: String? {
        Set([red, yellow, green]).count == 3 ? nil : "red, yellow and green need a line each"
    }

    /// One request for all three, dark at first: they change together or not at all.
    package func request(consumer: String) -> LineRequest {
        LineRequest(
            chipLabel: chipLabel,
            lines: [red, yellow, green],
            direction: .output(initially: Lamp.dark.values),
            isActiveLow: isActiveLow,
            consumer: consumer
        )
    }
}
