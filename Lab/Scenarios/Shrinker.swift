import Core

/// Looks for a smaller life that breaks the same promise: a shorter one, with fewer faults.
///
/// What happens at a time does not hang on how long the life goes on, nor on the faults before,
/// but for what these did: so most of a life can be cut away at its end, and faults one by one.
package struct Shrinker {
    /// The smallest life that still fails.
    package struct Found: Sendable {
        package let order: Life.Order
        /// The report of that life.
        package let report: LifeReport
        package let triedCount: Int
    }

    /// How far it is.
    package struct Progress: Sendable {
        package let triedCount: Int
        package let faultCount: Int
        package let length: Duration
    }

    /// Lives tried at most; at the bound the smallest so far is the result.
    package static let lifeMax = 100
    /// Time lived at most, in lives as long as the first; the same at the bound.
    static let timeMax = 30
    /// A life is not shortened by less than this.
    private static let step: Duration = .minutes(30)

    private let scenario: Scenario
    /// Shapes of the failure to keep; see `shape`.
    private let shapes: Set<[Substring]>
    private let timeLimit: Duration
    private let progress: (Progress) -> Void
    private var best: Life.Order
    private var report: LifeReport
    private var triedCount = 0
    private var timeLived: Duration = .zero

    /// - Parameters:
    ///   - scenario: Of the life that failed.
    ///   - promise: Only this one, such as `P7`; nil means any.
    package init(
        _ scenario: Scenario,
        _ order: Life.Order,
        _ report: LifeReport,
        promise: String? = nil,
        progress: @escaping (Progress) -> Void = { _ in }
    ) {
        (self.scenario, best, self.report, self.progress) = (scenario, order, report, progress)
        let meant = report.failures.filter { promise == nil || $0.promise == promise }
        shapes = Set(meant.map(Self.shape(of:)))
        timeLimit = order.length * Self.timeMax
        let all = Set(scenario.plan(for: order.length, seed: order.seed).indices)
        best.only = order.only?.intersection(all) ?? all
    }

    /// The smallest life that was found; the one given when nothing smaller fails.
    ///
    /// - Throws: What `Life.run` throws.
    package mutating func smallest() throws -> Found {
        try shorten()
        try dropFaults()
        // Without most of its faults it may fail sooner, or fail though it ends sooner.
        try shorten()
        return Found(order: best, report: report, triedCount: triedCount)
    }

    /// The promise and the text of a failure, without numbers, names and times: a smaller life that
    /// breaks the same promise in another way is another bug.
    private static func shape(of verdict: LifeReport.Verdict) -> [Substring] {
        let words = (verdict.failure ?? "").split { $0 == " " || $0 == "," || $0 == ":" }
        let plain = words.filter { word in
            word.utf8.allSatisfy { $0 | 0x20 >= 97 && $0 | 0x20 <= 122 }
        }
        return [verdict.promise[...]] + plain
    }

    private var isAtBound: Bool { triedCount >= Self.lifeMax || timeLived >= timeLimit }

    /// Runs a smaller life, and keeps it when it breaks one of the promises.
    private mutating func takes(_ candidate: Life.Order) throws -> Bool {
        guard !isAtBound else { return false }
        triedCount += 1
        timeLived += candidate.length
        let faultCount = candidate.only?.count ?? 0
        let (triedCount, length) = (triedCount, candidate.length)
        progress(Progress(triedCount: triedCount, faultCount: faultCount, length: length))
        let found = try Life(scenario, candidate).run()
        guard found.failures.contains(where: { shapes.contains(Self.shape(of: $0)) }) else {
            return false
        }
        (best, report) = (candidate, found)
        return true
    }

    /// Halves what is between a length that does not fail and one that does.
    private mutating func shorten() throws {
        var good = max(scenario.quiet, .hours(2)) - Self.step
        while best.length - good > max(Self.step, best.length / 32), !isAtBound {
            var candidate = best
            let middle = (good + best.length) / 2
            candidate.length = .seconds(middle.inSeconds.rounded(.up))
            let plan = scenario.plan(for: candidate.length, seed: candidate.seed)
            candidate.only?.formIntersection(plan.indices)
            if try !takes(candidate) { good = candidate.length }
        }
    }

    /// Leaves out all, then halves, quarters and so on, each as often as that helps.
    private mutating func dropFaults() throws {
        var size = best.only?.count ?? 0
        while size >= 1, !isAtBound {
            let numbers = (best.only ?? []).sorted()
            var hasShrunk = false
            for start in stride(from: 0, to: numbers.count, by: size).reversed() {
                var candidate = best
                candidate.only?.subtract(numbers[start..<min(start + size, numbers.count)])
                guard candidate.only != best.only else { continue }
                if try takes(candidate) { hasShrunk = true }
            }
            let left = best.only?.count ?? 0
            size = hasShrunk ? min(size, left) : size / 2
        }
    }
}
