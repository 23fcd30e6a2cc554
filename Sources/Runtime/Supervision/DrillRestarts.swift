import Core

/// Restarts one child as often as asked, as fast as a supervisor can; for the benchmark.
///
/// - Parameters:
///   - count: Restarts, ≥ 1.
///   - clock: A simulated clock measures the supervisor alone.
/// - Returns: How many restarts the supervisor made.
/// - Throws: `CancellationError`.
package func drillRestarts(_ count: Int, on clock: any NodeClock) async throws -> Int {
    struct Fails: Child {
        func run() async throws { throw DrillFailure() }
    }
    let policy = RestartPolicy(
        intensity: RestartIntensity(limit: count, within: .hours(1)),
        delay: .none
    )
    let context = SupervisorContext(clock: clock, seed: 1, onUnkillable: { _ in })
    let supervisor = Supervisor(
        id: "drill",
        policy: policy,
        context: context,
        children: [ChildSpec(id: "child") { _ in Fails() }]
    )
    do {
        try await supervisor.run()
    } catch is SupervisorError {}
    return supervisor.tree.children[0].restartCount
}

private struct DrillFailure: Error {}
