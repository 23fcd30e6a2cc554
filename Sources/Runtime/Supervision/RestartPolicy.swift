import Core

/// Rules for a supervisor when a child ended and is to be restarted.
package struct RestartPolicy: Sendable {
    /// Groups of children that are restarted together.
    package enum Strategy: String, Sendable, CaseIterable {
        /// Only the child that ended.
        case oneForOne
        /// All children: none can work without the others.
        case oneForAll
        /// The child and those started after it, which build on it.
        case restForOne
    }

    let strategy: Strategy
    /// Whether children that do not need each other stop at the same time.
    ///
    /// For dynamic children such as devices: one that is slow to stop costs the others nothing.
    /// Only with `oneForOne`; else they stop one after the other, rightmost first.
    package let stopsTogether: Bool
    package let intensity: RestartIntensity
    package let delay: RestartDelay.Growth

    /// A policy; the default gives up on its level after five restarts in a minute.
    package init(
        strategy: Strategy = .oneForOne,
        stopsTogether: Bool = false,
        intensity: RestartIntensity = RestartIntensity(limit: 5, within: .minutes(1)),
        delay: RestartDelay.Growth = RestartDelay.Growth()
    ) {
        precondition(!stopsTogether || strategy == .oneForOne, "they depend on each other")
        self.strategy = strategy
        self.stopsTogether = stopsTogether
        self.intensity = intensity
        self.delay = delay
    }
}
