import Core

/// A command that a part has not answered yet.
struct SensorExchange: Hashable, Sendable {
    /// Content of the answer to a command.
    enum Answer: Hashable, Sendable {
        case measurement([Outcome])
        case reply([Fact])
    }

    let command: SensorCommand
    private var attemptsLeft: Int
    private(set) var deadline: MonotonicInstant

    /// A command that was sent now, and is sent so often altogether.
    init(_ command: SensorCommand, attempts: Int, at now: MonotonicInstant) {
        self.command = command
        attemptsLeft = attempts - 1
        deadline = now.advanced(by: command.patience)
    }

    /// Whether a missing answer means that the part does not acknowledge commands.
    var isAcknowledged: Bool { !command.isReadOnly && command.reply != nil }

    /// Returns the answer to the command if the message is one; otherwise nil.
    func answer(in utterance: SensorUtterance) -> Answer? {
        switch utterance {
        case .measurement(let outcomes, _): command.reply == nil ? .measurement(outcomes) : nil
        case .reply(let name, _, let facts): command.reply == name ? .reply(facts) : nil
        case .rejected, .time: nil
        }
    }

    /// The command once more, and its time with it; nil when there were enough attempts.
    mutating func repetition(at now: MonotonicInstant) -> SensorCommand? {
        guard attemptsLeft > 0 else { return nil }
        attemptsLeft -= 1
        deadline = now.advanced(by: command.patience)
        return command
    }

    mutating func postpone(to instant: MonotonicInstant) { deadline = max(deadline, instant) }
}

/// The measurements of one sample on a duty cycle.
struct SampleWindow: Hashable, Sendable {
    /// Measurements of one window; more are not read.
    static let countMax = 256

    private(set) var measurements: [[Outcome]] = []
    private let start: MonotonicInstant
    private let length: Duration
    /// Time from one question to the next, ≥ 1 s.
    private let step: Duration
    private var questionCount = 0

    init(from start: MonotonicInstant, length: Duration, step: Duration) {
        (self.start, self.length, self.step) = (start, length, max(step, .seconds(1)))
    }

    var end: MonotonicInstant { start.advanced(by: length) }
    var isEmpty: Bool { measurements.isEmpty }
    var isFull: Bool { measurements.count >= Self.countMax }

    mutating func append(_ outcomes: [Outcome]) {
        if !isFull { measurements.append(outcomes) }
    }

    /// When to ask next, at least once; nil when the window is over.
    mutating func nextQuestion() -> MonotonicInstant? {
        let count = min(max(1, Int(length / step)), Self.countMax)
        guard questionCount < count else { return nil }
        questionCount += 1
        return start.advanced(by: min(length, step * questionCount))
    }

    /// Whether the measurements differ.
    var hasMoved: Bool { measurements.contains { $0 != measurements[0] } }
}
