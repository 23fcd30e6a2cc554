import Core
import Devices
import HardwareIO
import Profiles

/// Finds out which part is behind an adapter, with as few bytes as possible.
///
/// Listens for every candidate at once and writes nothing. Where nothing at all was heard it asks
/// read-only questions, one at a time; after a first byte that proves nothing it asks no more, but
/// for the same again after an answer of the part's kind that came damaged.
/// Pure: `Prober` carries out what `next` returns and passes received bytes in.
package struct ProbePlan: Sendable {
    /// The probe ends by then in every case.
    package static let limit: Duration = .seconds(15)
    /// Before the first query.
    static let silence: Duration = .seconds(3)
    /// The slowest in the catalog answers within 0.1 s, a USB adapter adds 16 ms, and six questions
    /// after the silence make 4.8 s.
    static let replyTime: Duration = .milliseconds(300)
    /// A part that was woken sends within this time: its fan must turn first.
    static let wakeTime: Duration = .seconds(5)

    package enum Step: Hashable, Sendable {
        /// Open the port; close it first if it is open.
        case open(baud: Int)
        case listen(until: MonotonicInstant)
        case send([UInt8])
        case end(Verdict)
    }

    package enum Verdict: Hashable, Sendable {
        case proved(Proof)
        /// Why no device was recognised, as text.
        case unknown(String)
    }

    package struct Proof: Hashable, Sendable {
        package let profile: Profile
        package let evidence: SensorProof.Evidence
        package let baud: Int
        /// Ids of profiles that were proved as well and are less likely.
        let rivals: [String]
    }

    struct Candidate {
        let profile: Profile
        let rank: Int
        let dialect: any SensorDialect
        var rules: ProbeRules {
            profile.probe ?? ProbeRules(bauds: [9_600], streams: true, mayAsk: false)
        }
    }

    private struct Listener {
        let candidate: Int
        var proof: SensorProof
        var evidence: SensorProof.Evidence?
    }

    /// A time of listening at one rate.
    private struct Leg {
        let baud: Int
        let length: Duration
    }

    private struct Question {
        let candidate: Int
        let baud: Int
        let command: SensorCommand
        let patience: Duration
        /// How often it may be asked again after an answer that came damaged.
        var repeats = 2
    }

    private enum Phase {
        /// Listens until the instant; then comes the next step.
        case listening(until: MonotonicInstant)
        case asking(Question, until: MonotonicInstant)
    }

    private let candidates: [Candidate]
    /// The index of the part last seen here; it may sleep, since the station put it to sleep.
    private let expected: Int?
    private let limit: MonotonicInstant
    private var baud: Int
    private var isOpen = false
    private var listeners: [Listener] = []
    private var phase: Phase
    /// The queries left, and where to listen after them; nil until the first silence is over.
    private var questions: [Question]?
    private var legs: [Leg]?
    private var unsent: [UInt8]?
    /// Bytes heard and sent so far.
    package private(set) var heardByteCount = 0
    private(set) var sentByteCount = 0
    private var verdict: Verdict?

    /// A plan that begins now.
    ///
    /// - Parameters:
    ///   - profiles: Those that match the adapter, with their ranks, the most specific first.
    ///   - expected: The profile last seen at this adapter.
    package init(
        _ profiles: [RankedProfile],
        expecting expected: String? = nil,
        at now: MonotonicInstant
    ) {
        let candidates = profiles.compactMap { ranked -> Candidate? in
            guard let kind = ranked.profile.driver.flatMap(DeviceCatalog.kind),
                let dialect = try? kind.dialect(ranked.profile)
            else { return nil }
            return Candidate(profile: ranked.profile, rank: ranked.rank, dialect: dialect)
        }
        self.candidates = candidates
        let place = candidates.firstIndex { $0.profile.id == expected }
        self.expected = place
        limit = now.advanced(by: Self.limit)
        baud = candidates.flatMap(\.rules.bauds).first ?? 9_600
        var silence = Self.silence
        // A part that must not be queried and was here last gets time to send before any query.
        if let known = place.map({ candidates[$0].rules }), !known.mayAsk {
            silence = max(silence, known.listen)
        }
        phase = .listening(until: now.advanced(by: silence))
        if candidates.isEmpty { verdict = .unknown("no profile fits this adapter") }
        tuneIn()
    }

    // MARK: What to do

    /// Returns the next step of the probe; called again after each step was done.
    package mutating func next(at now: MonotonicInstant) -> Step {
        // Each turn ends a phase, and there are fewer than a hundred.
        while true {
            if let verdict { return .end(verdict) }
            guard isOpen else {
                isOpen = true
                return .open(baud: baud)
            }
            if let bytes = unsent {
                unsent = nil
                sentByteCount += bytes.count
                return .send(bytes)
            }
            switch phase {
            case .listening(let until), .asking(_, let until):
                let end = min(until, limit)
                if now < end { return .listen(until: end) }
                advance(at: now)
            }
        }
    }

    /// Moves on to the next phase, or ends the probe.
    private mutating func advance(at now: MonotonicInstant) {
        if let proof = best {
            verdict = .proved(proof)
            return
        }
        guard now < limit else { return conclude() }
        if questions == nil { questions = heardByteCount == 0 ? allQuestions : [] }
        if let next = questions?.first {
            questions?.removeFirst()
            return ask(next, at: now)
        }
        if legs == nil { legs = remainingLegs(at: now) }
        if let next = legs?.first {
            legs?.removeFirst()
            if next.baud != baud { retune(to: next.baud) }
            phase = .listening(until: now.advanced(by: next.length))
        } else if listeners.contains(where: { $0.proof.goodCount > 0 }) {
            phase = .listening(until: limit)  // Once more of the same is proof.
        } else {
            conclude()
        }
    }

    private mutating func ask(_ question: Question, at now: MonotonicInstant) {
        if question.baud != baud { retune(to: question.baud) }
        unsent = question.command.bytes
        phase = .asking(question, until: now.advanced(by: question.patience))
    }

    private mutating func conclude() {
        if heardByteCount > 0 {
            let verb = sentByteCount == 0 ? "talks" : "answers"
            verdict = .unknown("it \(verb), and no profile that fits understands it" + flaws)
        } else if sentByteCount > 0 {
            verdict = .unknown("it is silent, and answers no question of a profile that fits")
        } else {
            verdict = .unknown("it is silent, and no profile that fits may ask it")
        }
    }

    /// Mismatches with line profiles, for a person who is writing one.
    private var flaws: String {
        let lines = listeners.filter { candidates[$0.candidate].profile.driver == "line" }
        return lines.prefix(2).compactMap { listener in
            listener.proof.lastFlaw.map { "; \(candidates[listener.candidate].profile.id): \($0)" }
        }.joined()
    }

    private mutating func retune(to baud: Int) {
        (self.baud, isOpen) = (baud, false)
        tuneIn()
    }

    /// New decoders for every candidate at this baud rate.
    private mutating func tuneIn() {
        listeners = candidates.indices.filter { candidates[$0].rules.bauds.contains(baud) }
            .map { Listener(candidate: $0, proof: SensorProof(candidates[$0].dialect)) }
    }

    // MARK: Queries and rates

    /// The part last seen here first, then those that send only on a query, then the others;
    /// queries at this rate come first, because silence at one rate means silence at all.
    private var allQuestions: [Question] {
        let order = candidates.indices.filter { candidates[$0].rules.mayAsk }.sorted {
            left,
            right in
            func key(_ index: Int) -> (Int, Int) {
                (index == expected ? 0 : candidates[index].rules.streams ? 2 : 1, index)
            }
            return key(left) < key(right)
        }
        let all = order.flatMap { index in
            candidates[index].rules.bauds.flatMap { baud in
                SensorProof(candidates[index].dialect).questions.map {
                    Question(
                        candidate: index,
                        baud: baud,
                        command: $0,
                        patience: Self.replyTime
                    )
                }
            }
        }
        return all.filter { $0.baud == baud } + all.filter { $0.baud != baud } + wakes
    }

    /// A part that the station put to sleep may react to this only; last, because it needs long.
    ///
    /// One that says nothing then is put to sleep again: its laser may be on.
    private var wakes: [Question] {
        guard let index = expected, candidates[index].rules.mayAsk,
            let baud = candidates[index].rules.bauds.first
        else { return [] }
        let dialect = candidates[index].dialect
        guard !dialect.commands(for: .rest).isEmpty else { return [] }
        let commands =
            dialect.commands(for: .wake) + (dialect.reportModes?.streaming ?? [])
        let all = commands + dialect.commands(for: .rest)
        return all.enumerated().map { place, command in
            Question(
                candidate: index,
                baud: baud,
                command: command,
                patience: place == commands.count - 1 ? Self.wakeTime : Self.replyTime
            )
        }
    }

    /// Slow ones get what time there is; what talks without a meaning may have one at other rates.
    private func remainingLegs(at now: MonotonicInstant) -> [Leg] {
        let streaming = candidates.filter(\.rules.streams)
        var others: [Int] = []
        for other in streaming.flatMap(\.rules.bauds)
        where heardByteCount > 0 && other != baud && !others.contains(other) {
            others.append(other)
        }
        let homes = streaming.filter { $0.rules.listen > Self.silence }.flatMap(\.rules.bauds)
        let home = homes.contains(baud) ? baud : homes.first
        let rest = now.duration(to: limit) - Self.silence * others.count
        let slow = home.map { rest > .zero ? [Leg(baud: $0, length: rest)] : [] } ?? []
        return slow + others.map { Leg(baud: $0, length: Self.silence) }
    }

    // MARK: Received bytes

    /// Handles received bytes.
    package mutating func hear(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, verdict == nil else { return }
        heardByteCount += bytes.count
        var asked: Question?
        var isDamaged = false
        if case .asking(let question, _) = phase { asked = question }
        for index in listeners.indices {
            let isAsked = asked?.candidate == listeners[index].candidate
            let before = listeners[index].proof.rejectedCount
            let evidence = listeners[index].proof.hear(bytes, after: isAsked ? asked?.command : nil)
            listeners[index].evidence = listeners[index].evidence ?? evidence
            if isAsked, listeners[index].proof.rejectedCount > before { isDamaged = true }
        }
        // A part that sends gets no further query, except to wake one that the station put to
        // sleep.
        questions = questions?.filter { $0.candidate == expected }
        if isDamaged, case .asking(var question, let until) = phase, question.repeats > 0 {
            var again = question
            (again.repeats, question.repeats) = (question.repeats - 1, 0)
            (phase, questions) = (.asking(question, until: until), [again] + (questions ?? []))
        }
        guard let proof = best else { return }
        let counts = listeners.map(\.proof.goodCount).sorted(by: >)
        // Another that is as sure gets the rest of the time to be less so.
        let isClear = counts.count < 2 || counts[1] < counts[0]
        if asked != nil || isClear { verdict = .proved(proof) }
    }

    /// The likeliest of those that are proved: the most specific match, then the most evidence.
    private var best: Proof? {
        let proved = listeners.filter { $0.evidence != nil }.sorted { left, right in
            func key(_ listener: Listener) -> (Int, Int, Int, Int) {
                (
                    -candidates[listener.candidate].rank, -listener.proof.goodCount,
                    listener.proof.rejectedCount, listener.candidate
                )
            }
            return key(left) < key(right)
        }
        guard let first = proved.first, let evidence = first.evidence else { return nil }
        return Proof(
            profile: candidates[first.candidate].profile,
            evidence: evidence,
            baud: baud,
            rivals: proved.dropFirst().map { candidates[$0.candidate].profile.id }
        )
    }
}

/// A profile that fits an adapter, and how well.
package struct RankedProfile: Hashable, Sendable {
    package let profile: Profile
    package let rank: Int

    package init(_ profile: Profile, rank: Int) {
        (self.profile, self.rank) = (profile, rank)
    }
}
