import Core

/// Exchanges with one part: commands and answers, waking and resting.
///
/// Pure. Each act ends with one result; until then `deadline` and `receive` move it on. It keeps
/// what the part has said of itself.
struct PartDialogue: Sendable {
    enum Step: String, Hashable, Sendable, CaseIterable {
        /// No act is in progress.
        case quiet
        /// A command of the session waits for its answer.
        case asking
        // Waking, in this order.
        case probing, waking, proving, introducing
        case resting
    }

    /// How an act ended.
    enum Result: Hashable, Sendable {
        /// nil: every attempt passed without an answer.
        case answered(SensorExchange.Answer?)
        /// Whether anything shows that the part listens.
        case woken(Bool)
        case rested
    }

    /// How to wake a part.
    struct Waking: Hashable, Sendable {
        let isLive: Bool
        let warmUp: Duration
        /// Acknowledgements are not enough; the part must measure once.
        var needsProof = false
        /// Asks first whether the part runs already, so that it is warm.
        var looksFirst = false
    }

    /// Wakes from deep sleep may take two commands; the third is for one lost on the way.
    private static let wakeAttempts = 3
    /// A fan that starts may keep a part silent for so long.
    private static let firstMeasurementTimeout: Duration = .seconds(10)

    private(set) var step = Step.quiet
    var out: SensorOutput
    private(set) var dialect: any SensorDialect
    let canRest: Bool
    /// Silence after which something is wrong.
    let frameTimeout: Duration
    /// Collects the measurements of a part that sends several at once; nil for other parts.
    var bursts: BurstCollector?

    // The act in progress.
    private var exchange: SensorExchange?
    private var silenceEnd = MonotonicInstant.boot
    private var queue: [SensorCommand] = []
    private var waking = Waking(isLive: false, warmUp: .zero)
    private var wokeAt = MonotonicInstant.boot
    private var countAtWake = 0
    private var answerCounts = (given: 0, missed: 0)

    // Facts known about the part.
    private var times = TimeRun()
    private(set) var identity: PartIdentity
    private(set) var awake = OperatingTime()
    var warmth: Warmth
    var warmAt: MonotonicInstant? { warmth.warmAt }
    /// Whether the part is set to answer queries instead of streaming; nil while unknown.
    private var isSetToAnswer: Bool?
    private(set) var record = PartRecord()
    private var isIntroduced = false
    private var isAcknowledging = true
    private var hasMissedAcknowledgement = false

    init(_ setup: SensorDependencies, speaking dialect: any SensorDialect, interval: Duration) {
        var dialect = dialect
        identity = PartIdentity(wanted: setup.id.map { dialect.address($0) })
        self.dialect = dialect
        warmth = Warmth(poweredAt: setup.poweredAt, preheat: setup.preheat)
        canRest = !dialect.commands(for: .rest).isEmpty
        bursts = dialect.burst.map { BurstCollector($0, every: interval) }
        frameTimeout = max((bursts?.period ?? interval) * 2, .seconds(2))
        out = SensorOutput(
            name: setup.name,
            quantities: dialect.quantities,
            profile: setup.profile
        )
    }

    /// Whether the part measures only when asked.
    func answers(isLive: Bool) -> Bool {
        if case .answers = dialect.rhythm { return true }
        return !isLive && dialect.reportModes != nil
    }

    /// Why there is no measurement now: nothing came, or nothing good.
    var reason: NoData { identity.isForeignHeard || record.isNoise ? .badFrames : .replyTimeout }

    /// Instant at which the act in progress continues even without bytes; nil without an act.
    var deadline: MonotonicInstant? {
        step == .quiet ? nil : exchange?.deadline ?? silenceEnd
    }

    /// Bytes that complete what has begun.
    var missingByteCount: Int { min(max(1, dialect.missingByteCount), 255) }

    mutating func forgetHearing() {
        record.forget()
        identity.forgetHearing()
    }

    // MARK: Acts

    /// Gives up the act in progress.
    mutating func interrupt() { (step, exchange) = (.quiet, nil) }

    /// Asks until answered.
    mutating func ask(_ command: SensorCommand, attempts: Int) {
        step = .asking
        send(command, attempts: attempts)
    }

    private mutating func send(_ command: SensorCommand, attempts: Int) {
        out.write(command)
        exchange = SensorExchange(command, attempts: attempts, at: out.now)
    }

    /// Asks for one measurement; false when the part knows no such command.
    mutating func askForMeasurement(attempts: Int) -> Bool {
        guard let command = dialect.commands(for: .measure).first else { return false }
        ask(command, attempts: attempts)
        return true
    }

    /// Wakes the part and applies our settings; sends nothing to a part that is awake.
    mutating func wake(_ waking: Waking) -> Result? {
        self.waking = waking
        countAtWake = record.measurementCount
        if awake.isOn == true, settings.isEmpty { return .woken(true) }
        guard waking.looksFirst, awake.isOn != true, let probe = dialect.stateProbe else {
            return beginWaking(isWarm: false)
        }
        step = .probing
        send(probe.question, attempts: 1)
        return nil
    }

    /// Commands that put the part into its report mode; empty when it is in it.
    private var settings: [SensorCommand] {
        guard let modes = dialect.reportModes, isSetToAnswer != !waking.isLive else { return [] }
        return waking.isLive ? modes.streaming : modes.answering
    }

    private mutating func beginWaking(isWarm: Bool) -> Result? {
        (countAtWake, answerCounts) = (record.measurementCount, (0, 0))
        queue = settings
        if !queue.isEmpty { isSetToAnswer = nil }
        if awake.isOn != true {
            awake.isOn = nil
            wokeAt = out.now
            queue = dialect.commands(for: .wake) + queue
            if canRest || warmAt == nil {
                warmth.begin(at: wokeAt, warmUp: isWarm ? .zero : waking.warmUp)
            }
        }
        step = .waking
        return wakeOn()
    }

    private mutating func wakeOn() -> Result? {
        while !queue.isEmpty {
            let command = queue.removeFirst()
            if command.isAnswered, answerCounts.missed == 0 {
                send(command, attempts: Self.wakeAttempts)
                return nil
            }
            out.write(command)
        }
        let isObeyed = answerCounts.given > 0 && answerCounts.missed == 0
        if isObeyed { isSetToAnswer = !waking.isLive }
        // Warming up a part that does not measure would cost it hours for nothing.
        if record.measurementCount > countAtWake || (isObeyed && !waking.needsProof) {
            return introduce()
        }
        step = .proving
        if answers(isLive: waking.isLive) {
            guard let command = dialect.commands(for: .measure).first else {
                return end(.woken(false))
            }
            send(command, attempts: 2)
        } else {
            let patience = max(Self.firstMeasurementTimeout, frameTimeout)
            silenceEnd = out.now.advanced(by: canRest ? patience : frameTimeout)
        }
        return nil
    }

    /// Records that the part runs, and asks once for its identity; some parts never answer.
    private mutating func introduce() -> Result? {
        awake.switchOn(since: wokeAt)
        guard !isIntroduced else { return end(.woken(true)) }
        isIntroduced = true
        queue = dialect.questions.filter { question in
            question.isReadOnly && question.reply != nil && question != dialect.stateProbe?.question
        }
        step = .introducing
        return introduceOn()
    }

    private mutating func introduceOn() -> Result? {
        guard queue.isEmpty else {
            send(queue.removeFirst(), attempts: 2)
            return nil
        }
        let id = Event.Detail("id", identity.known ?? "unknown")
        out.record(.sensorFound, .info, [id] + record.facts.map { Event.Detail($0) })
        return end(.woken(true))
    }

    /// Lets the part rest: acknowledged, or noted as missing.
    mutating func rest() -> Result? {
        interrupt()
        guard canRest, awake.isOn != false else { return .rested }
        (queue, answerCounts) = (dialect.commands(for: .rest), (0, 0))
        step = .resting
        return restOn()
    }

    private mutating func restOn() -> Result? {
        while !queue.isEmpty {
            let command = queue.removeFirst()
            if command.isAnswered {
                send(command, attempts: 2)
                return nil
            }
            out.write(command)
        }
        if answerCounts.missed == 0 { recordRest() } else { awake.isOn = nil }
        return end(.rested)
    }

    /// Sends the part to rest without waiting for an answer.
    mutating func writeRest() {
        for command in dialect.commands(for: .rest) { out.write(command) }
    }

    private mutating func end(_ result: Result) -> Result {
        interrupt()
        return result
    }

    // MARK: What comes

    /// Receives messages of the part.
    ///
    /// - Returns: Measurements that answer nothing, and how the act ended if it did.
    mutating func hear(_ heard: [SensorUtterance]) -> (streamed: [[Outcome]], result: Result?) {
        record.recordBytes()
        var streamed: [[Outcome]] = []  // At most what one read holds.
        var answer: SensorExchange.Answer?
        for utterance in heard {
            let found = answer == nil ? exchange?.answer(in: utterance) : nil
            switch utterance {
            case .rejected(let flaw):
                record.recordRejection(flaw)
            case .measurement(let outcomes, let id):
                guard isOurs(id) else { continue }
                record.recordMeasurement(at: out.now)
                if found == nil { streamed.append(outcomes) } else { answer = found }
            case .reply(_, let id, _):
                guard isOurs(id) else { continue }
                record.recordReply()
                answer = answer ?? found
            case .time(let wall):
                if times.confirm(wall, at: out.now) { out.actions.append(.time(wall)) }
            }
        }
        if let answer {
            if case .reply = answer { recordAcknowledgement() }
            return (streamed, advance(answer))
        }
        let isProven = step == .proving && exchange == nil && !streamed.isEmpty
        return (streamed, isProven ? introduce() : nil)
    }

    /// Moves on when the deadline has passed.
    mutating func timePassed() -> Result? {
        guard exchange != nil else { return step == .proving ? end(.woken(false)) : nil }
        if let command = exchange?.repetition(at: out.now) {
            out.write(command)
            return nil
        }
        if exchange?.isAcknowledged == true { hasMissedAcknowledgement = true }
        return advance(nil)
    }

    /// Gives the part its time again after the process did not run.
    mutating func postpone(to instant: MonotonicInstant) {
        exchange?.postpone(to: instant)
        silenceEnd = max(silenceEnd, instant)
    }

    private mutating func advance(_ answer: SensorExchange.Answer?) -> Result? {
        exchange = nil
        if answer == nil { answerCounts.missed += 1 } else { answerCounts.given += 1 }
        switch step {
        case .quiet: return nil
        case .asking: return end(.answered(answer))
        case .probing:
            let isStreaming = record.measurementCount > countAtWake
            return beginWaking(isWarm: isStreaming || isRunning(answer))
        case .waking: return wakeOn()
        case .proving: return answer == nil ? end(.woken(false)) : introduce()
        case .introducing:
            if case .reply(let found) = answer { record.learn(found) }
            return introduceOn()
        case .resting: return restOn()
        }
    }

    /// Whether the answer is that of a running part.
    func isRunning(_ answer: SensorExchange.Answer?) -> Bool {
        guard let probe = dialect.stateProbe else { return false }
        return answer == .reply(probe.running)
    }

    private mutating func isOurs(_ id: String?) -> Bool {
        let (isOurs, news) = identity.admit(id)
        if let news { out.record(kind: news.kind, .warning, news.details) }
        return isOurs
    }

    mutating func decode(_ bytes: Span<UInt8>, into heard: inout [SensorUtterance]) {
        if let isCut = out.takeLoss() { dialect.loseInput(isCut: isCut) }
        dialect.decode(bytes) { heard.append($0) }
    }

    // MARK: Running and acknowledging

    /// Forgets whether the part runs, and its settings.
    mutating func doubtAll() { (awake.isOn, isSetToAnswer) = (nil, nil) }

    /// Whether the part runs is not known.
    mutating func doubtRest() { awake.isOn = nil }

    /// The part runs without a command, since an instant at the latest.
    mutating func recordRunning(since start: MonotonicInstant) {
        awake.isOn = nil
        awake.assumeOn(since: start)
    }

    mutating func recordRest() { report(awake.switchOff(at: out.now)) }

    /// Hands on the time that the part has run: in live mode it is on for days.
    mutating func reportAwake() {
        if awake.isDue(at: out.now) { report(awake.account(at: out.now)) }
    }

    /// A part that cannot rest has nothing that wears by being on.
    private mutating func report(_ time: Duration?) {
        guard canRest, let time else { return }
        let entry = LaserTime(part: identity.known, time: time, life: dialect.ratedLife)
        out.actions.append(.laser(entry))
    }

    private mutating func recordAcknowledgement() {
        hasMissedAcknowledgement = false
        guard !isAcknowledging else { return }
        isAcknowledging = true
        out.record(.sensorObeysAgain, .notice)
    }

    /// Reports once that a part measures but does not acknowledge commands.
    mutating func reportAcknowledgement() {
        guard hasMissedAcknowledgement, isAcknowledging else { return }
        isAcknowledging = false
        out.record(.sensorIgnoresCommands, .warning)
    }

    // MARK: Reports

    /// One word for the part: `measuring`, `asleep`, or `starting` before it has spoken.
    var word: String {
        switch awake.isOn {
        case true?: "measuring"
        case false?: "asleep"
        case nil: record.lastMeasurementAt == nil ? "starting" : "measuring"
        }
    }

    func facts(at now: MonotonicInstant, leftOut: Int, remedy: String?) -> [Fact] {
        var all = (identity.known.map { [Fact("id", $0)] } ?? []) + record.facts
        all.append(Fact("awakeSeconds", Int(awake.total(at: now).inSeconds)))
        all += record.counts
        if leftOut > 0 { all.append(Fact("omittedCount", leftOut)) }
        if let flaw = record.lastFlaw { all.append(Fact("lastRejected", flaw)) }
        if let remedy { all.append(Fact("remedy", remedy)) }
        if !isAcknowledging { all.append(Fact("isAcknowledging", false)) }
        if !out.findings.isEmpty { all.append(Fact("doubts", out.findings.map(\.description))) }
        return all
    }
}
