import Core
import HardwareIO
import Profiles

/// Line of a PIR sensor, and the times that turn its pulses into motions.
///
/// The defaults fit an HC-SR501 with any setting of its trimmers.
///
/// - Source: HC-SR501 datasheet; Elegoo kit manual, pp. 123–125 (PROTOCOLS §b).
package struct PIRSettings: Hashable, Sendable {
    /// The chip's label; nil takes the first chip that has the line.
    package var chipLabel: String?
    package var line: LineRequest.Line
    package var isActiveLow = false
    package var bias = LineRequest.Bias.asIs

    /// How long the kernel wants a level to be steady, 0…1 s.
    ///
    /// With 50 ms a line makes 20 edges a second at most, whatever happens on it.
    package var debounce = Duration.milliseconds(50)
    /// Time after the start in which pulses are ignored, 0…10 min.
    ///
    /// The part needs about 60 s of power and shows up to three false pulses in them.
    package var settling = Duration.seconds(60)
    /// How long a pulse must be to count, 0…5 s.
    ///
    /// The part's shortest is 0.3 s; what an antenna near it makes is shorter.
    var minimumPulse = Duration.milliseconds(200)
    /// How long after a pulse the next one still belongs to the same motion, 0…1 h.
    ///
    /// The part is blind for up to 3 s after each pulse, so less would cut one walk into many.
    var retriggerWindow = Duration.seconds(5)
    /// How long no new motion begins after one has ended, 0…24 h.
    ///
    /// It bounds how many events there can be. Who still moves at its end is seen then.
    var blockTime = Duration.seconds(5)
    /// How long the line may be high before it counts as stuck, 1 s…24 h.
    ///
    /// Ten times the longest pulse of the part's trimmer, 200 s.
    var stuckAfter = Duration.seconds(2_000)
    /// More edges than this within one second are a storm, 4…1000.
    ///
    /// The part makes one a second at most. Above 20 the debounce hides every storm.
    var stormEdges = 10
    /// Time for which a storming line is first released, 1 s…1 h.
    ///
    /// Twice as long each time it storms again, up to `muteMax`.
    package var mute = Duration.minutes(5)

    /// The longest mute.
    static let muteMax = Duration.hours(1)
    /// How long a line must be calm after a mute before it counts as recovered.
    static let probation = Duration.seconds(10)

    package init(line: LineRequest.Line, chipLabel: String? = nil) {
        self.line = line
        self.chipLabel = chipLabel
    }

    /// Reads settings from a profile, or from a configuration that overrides it.
    package mutating func read(_ reader: inout ObjectReader) {
        settling = reader.seconds("settleSeconds", in: 0...600) ?? settling
        blockTime = reader.seconds("blockSeconds", in: 0...600) ?? blockTime
    }

    /// Describes the first setting that is out of bounds; nil when all are within.
    package var complaint: String? {
        let bounds: [(name: String, value: Duration, least: Duration, most: Duration)] = [
            ("debounce", debounce, .zero, .seconds(1)),
            ("settling", settling, .zero, .minutes(10)),
            ("minimumPulse", minimumPulse, .zero, .seconds(5)),
            ("retriggerWindow", retriggerWindow, .zero, .hours(1)),
            ("blockTime", blockTime, .zero, .hours(24)),
            ("stuckAfter", stuckAfter, .seconds(1), .hours(24)),
            ("mute", mute, .seconds(1), Self.muteMax),
        ]
        for bound in bounds where bound.value < bound.least || bound.value > bound.most {
            return "\(bound.name) must be \(bound.least) to \(bound.most)"
        }
        return (4...1_000).contains(stormEdges) ? nil : "stormEdges must be 4 to 1000"
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
