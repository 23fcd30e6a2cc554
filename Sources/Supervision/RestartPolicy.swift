import Readings

/// What a supervisor does when a child ended and is to be restarted.
package struct RestartPolicy: Sendable {
    /// Whom a restart takes along.
    package enum Strategy: String, Sendable, CaseIterable {
        /// The child alone.
        case oneForOne
        /// All children: none can work without the others.
        case oneForAll
        /// The child and those started after it, which build on it.
        case restForOne
    }

    package let strategy: Strategy
    package let intensity: RestartIntensity
    package let delay: RestartDelay.Growth

    /// A policy; the default gives up on its level after five restarts in a minute.
    package init(
        strategy: Strategy = .oneForOne,
        intensity: RestartIntensity = RestartIntensity(limit: 5, within: .minutes(1)),
        delay: RestartDelay.Growth = RestartDelay.Growth()
    ) {
        self.strategy = strategy
        self.intensity = intensity
        self.delay = delay
    }
}
