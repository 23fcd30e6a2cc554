import Core

/// How to start a child and what to do when it ends.
package struct ChildSpec: Sendable {
    /// Cases in which a child that ended is started again.
    package enum Restart: String, Sendable, CaseIterable {
        /// Always.
        case permanent
        /// Only after a failure.
        case transient
        /// Never.
        case temporary
    }

    /// Unique within its supervisor.
    package let id: String
    package let restart: Restart
    /// How long a child may need to stop before it counts as unkillable.
    package let shutdownGrace: Duration
    /// A restart waits until this long after the last start: hardware needs time.
    package let minimumRunTime: Duration
    /// How long the child may go without progress unless it promised otherwise; nil: not watched.
    ///
    /// The start counts too: a factory that hangs is cancelled and tried again.
    package let heartbeatLimit: Duration?
    /// Makes a new child; a restarted child is a new object.
    ///
    /// Throwing counts as a failed start.
    package let start: @Sendable (Heartbeat) async throws -> any Child

    package init(
        id: String,
        restart: Restart = .permanent,
        shutdownGrace: Duration = .seconds(5),
        minimumRunTime: Duration = .zero,
        heartbeatLimit: Duration? = nil,
        start: @escaping @Sendable (Heartbeat) async throws -> any Child
    ) {
        self.id = id
        self.restart = restart
        self.shutdownGrace = shutdownGrace
        self.minimumRunTime = minimumRunTime
        self.heartbeatLimit = heartbeatLimit
        self.start = start
    }

    /// Copy of the spec without the closure that makes the child.
    ///
    /// A supervisor that has ended keeps this for its reports: the closure often captures what owns
    /// the supervisor, and the two would keep each other in memory.
    var withoutStart: ChildSpec {
        ChildSpec(
            id: id,
            restart: restart,
            shutdownGrace: shutdownGrace,
            minimumRunTime: minimumRunTime,
            heartbeatLimit: heartbeatLimit
        ) { _ in throw CancellationError() }
    }
}
