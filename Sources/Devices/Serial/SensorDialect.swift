import Core
import HardwareIO

/// How one kind of sensor talks: bytes in, what they mean, and what to say to it.
///
/// Pure: it knows no port and no time. Written once for a part, it serves the driver, the probe and
/// the replay of recorded bytes. A bad frame costs one byte, and its state is bounded.
package protocol SensorDialect: Sendable {
    /// Quantities that the part measures, in the order of a measurement's outcomes.
    var quantities: [Quantity] { get }

    /// Whether measurements come by themselves or must be asked for.
    var rhythm: SensorRhythm { get }

    /// The least time from one measurement to the next; by default half of the rhythm's.
    var fastest: Duration { get }

    /// Bytes still missing from what has begun, or from the shortest thing it can say; ≥ 1.
    var missingByteCount: Int { get }

    /// Feeds bytes; calls `body` for all that they say, in stream order.
    mutating func decode(_ bytes: Span<UInt8>, _ body: (SensorUtterance) -> Void)

    /// Bytes were thrown away: what had begun is not to be joined with what comes.
    ///
    /// - Parameter isCut: Whether the next bytes may be the tail of a line.
    mutating func loseInput(isCut: Bool)

    /// Commands that carry out an act, in order; empty when the part does not support it.
    func commands(for act: SensorAct) -> [SensorCommand]

    /// Questions that prove who it is, read-only ones first; empty when it cannot be asked.
    ///
    /// Any part on the line answers them, whatever `address(_:)` says.
    var questions: [SensorCommand] { get }

    /// How long a value may stay the same before it is doubtful.
    func doubtLimits(isLive: Bool) -> SensorDoubt.Limits

    /// How measurements arrive that come several at a time; nil when each comes when it is made.
    var burst: SensorBurst? { get }

    /// Rated life of a laser, fan or heater from its maker; nil when the maker states none.
    var ratedLife: Duration? { get }

    // Abilities that only some parts have.

    /// The two ways to report, between which commands choose; nil when there is one.
    var reportModes: ReportModes? { get }

    /// The question whether the part runs; nil when it does not answer one at rest.
    var stateProbe: StateProbe? { get }

    /// Directs the commands for acts to one part; the others on the line ignore them.
    ///
    /// - Parameter id: As the configuration spells it.
    /// - Returns: The id as the frames of that part carry it.
    mutating func address(_ id: String) -> String
}

/// Commands that choose how a part reports, and that it keeps without power.
///
/// A session sends them once, not at each wake: each time costs the part a write of its memory.
package struct ReportModes: Hashable, Sendable {
    /// Commands after which the part sends one measurement each interval, unasked.
    package let streaming: [SensorCommand]
    /// Commands after which the part sends one measurement for each `measure`, and no others.
    package let answering: [SensorCommand]

    package init(streaming: [SensorCommand], answering: [SensorCommand]) {
        (self.streaming, self.answering) = (streaming, answering)
    }
}

/// A question that a part answers even at rest, and the answer of one that runs.
package struct StateProbe: Hashable, Sendable {
    package let question: SensorCommand
    package let running: [Fact]

    package init(_ question: SensorCommand, running: [Fact]) {
        (self.question, self.running) = (question, running)
    }
}

package enum SensorRhythm: Hashable, Sendable {
    /// One measurement each interval, unasked.
    case streams(every: Duration)
    /// One measurement for each `measure`, at most one each interval.
    case answers(atMostEvery: Duration)
}

/// Acts that can be asked of a sensor.
package enum SensorAct: Hashable, Sendable, CaseIterable {
    /// Fan, laser, heater on, and settings made ours.
    case wake
    /// One measurement; for those that answer.
    case measure
    /// As little wear and power as the part allows.
    case rest
}

/// Command to a sensor.
package struct SensorCommand: Hashable, Sendable {
    /// Name in events: `read firmware`.
    package let name: String
    package let bytes: [UInt8]
    /// The reply that answers it; nil when any measurement does, or `isAnswered` is false.
    package let reply: String?
    /// Whether an answer is awaited at all.
    package let isAnswered: Bool
    /// Whether it changes nothing in the part: only such are sent to prove who it is.
    package let isReadOnly: Bool
    /// How long an answer may take before the command is repeated.
    package let patience: Duration

    /// The slowest on a serial line answers within 0.1 s; a USB adapter adds 16 ms.
    package static let usualPatience: Duration = .seconds(1)

    package init(
        _ name: String,
        _ bytes: [UInt8],
        reply: String? = nil,
        isAnswered: Bool = true,
        isReadOnly: Bool = false,
        patience: Duration = SensorCommand.usualPatience
    ) {
        self.name = name
        self.patience = patience
        self.bytes = bytes
        self.reply = reply
        self.isAnswered = isAnswered
        self.isReadOnly = isReadOnly
    }
}

/// Messages of a sensor, decoded.
package enum SensorUtterance: Hashable, Sendable {
    /// One outcome for each quantity; `id` is the part's own when the frame carries it.
    case measurement([Outcome], id: String?)
    /// The answer to a command, by a name that commands refer to.
    case reply(String, id: String?, facts: [Fact])
    /// A head that turned out not to begin a frame, or a line that is not to be believed.
    case rejected(String)
    /// Wall time, from a part that knows it.
    case time(WallTime)
}

extension SensorDialect {
    package var fastest: Duration {
        switch rhythm {
        case .streams(let interval), .answers(let interval): interval / 2
        }
    }

    package func doubtLimits(isLive: Bool) -> SensorDoubt.Limits {
        isLive ? .anyLive : .anyDutyCycle
    }

    package mutating func loseInput(isCut: Bool) {}
    package var burst: SensorBurst? { nil }
    package var ratedLife: Duration? { nil }
    package var reportModes: ReportModes? { nil }
    package var stateProbe: StateProbe? { nil }

    package mutating func address(_ id: String) -> String { id }

    /// Feeds bytes and collects what they say.
    ///
    /// For tests and small work.
    package mutating func decode(_ bytes: [UInt8]) -> [SensorUtterance] {
        var utterances: [SensorUtterance] = []
        decode(bytes.span) { utterances.append($0) }
        return utterances
    }
}
