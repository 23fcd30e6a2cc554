import Readings

/// Looks for a smaller life that breaks the same promise: shorter first, then with fewer faults.
package struct Shrinker {
    /// Lives tried at most; the smallest so far is taken at the bound.
    package static let limit = 64

    private let scenario: Scenario
    private let order: Life.Order
    private let promises: Set<String>

    /// - Parameters:
    ///   - scenario: Of the life that failed.
    ///   - order: That life.
    ///   - report: What became of it.
    package init(_ scenario: Scenario, _ order: Life.Order, _ report: LifeReport) {
        (self.scenario, self.order) = (scenario, order)
        promises = Set(report.failures.map(\.promise))
    }

    /// The smallest life that was found.
    ///
    /// - Parameter progress: Told the lives tried and the faults that are left.
    /// - Returns: The order of that life; the one given when nothing smaller fails.
    /// - Throws: What `Life.run` throws.
    package func smallest(_ progress: (Int, Int) -> Void = { _, _ in }) throws -> Life.Order {
        var best = order
        let plan = scenario.plan(for: order.length, seed: order.seed)
        best.only = best.only ?? Set(plan.indices)
        var tried = 0
        func fails(_ candidate: Life.Order) throws -> Bool {
            guard tried < Self.limit else { return false }
            tried += 1
            progress(tried, candidate.only?.count ?? 0)
            let report = try Life(scenario, candidate).run()
            return report.failures.contains { promises.contains($0.promise) }
        }
        // Faults are dropped from the end: a shorter plan would have other numbers.
        var size = max(1, (best.only?.count ?? 0) / 2)
        while size >= 1, tried < Self.limit {
            let numbers = (best.only ?? []).sorted()
            var hasShrunk = false
            for start in stride(from: 0, to: numbers.count, by: size).reversed() {
                var candidate = best
                candidate.only?.subtract(numbers[start..<min(start + size, numbers.count)])
                guard candidate.only != best.only, try fails(candidate) else { continue }
                (best, hasShrunk) = (candidate, true)
            }
            if !hasShrunk || size > numbers.count { size /= 2 }
        }
        return best
    }
}
