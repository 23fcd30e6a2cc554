import Runtime

/// State of the machine's route to other networks.
package struct RouteState: Hashable, Sendable {
    /// The gateways of default routes, as the kernel writes them; empty without one.
    package var gateways: Set<String>
    /// Whether the connection is paid by volume.
    package var isMetered: Bool

    package init(gateways: Set<String> = [], isMetered: Bool = false) {
        (self.gateways, self.isMetered) = (gateways, isMetered)
    }
}

/// Follows the machine's routes: the kernel in the program, a script in tests.
package protocol RouteWatch: Sendable {
    /// Returns the present state at the first call, later the next state that differs.
    ///
    /// - Throws: `CancellationError`; what keeps it from watching.
    func next() async throws -> RouteState
}

/// Follows the machine's routes.
struct RouteChild: Child {
    let watch: any RouteWatch
    let take: @Sendable (_ before: RouteState?, _ now: RouteState) async -> Void

    func run() async throws {
        var before: RouteState?
        while !Task.isCancelled {
            let now = try await watch.next()
            await take(before, now)
            before = now
        }
    }
}
