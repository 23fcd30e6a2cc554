/// Something that runs until it is asked to stop: a driver, a server, a supervisor.
package protocol Child: Sendable {
    /// Runs until cancelled, and leaves what it holds safe on every way out.
    ///
    /// Every wait ends when the child is asked to stop, be it for a sensor, an HTTP device, a name
    /// server or a card. The child has returned within the shutdown grace of its `ChildSpec`; work
    /// that cannot be interrupted stays behind on its own thread. A child that outlives its grace
    /// ends the process. `ChildConformanceTests` stops each child at each suspension point.
    ///
    /// Returning is a normal exit, `CancellationError` while stopping likewise; anything else
    /// thrown is a failure and the supervisor decides.
    func run() async throws
}

/// A child that knows how to stop in order, from right to left: a supervisor.
package protocol OrderlyStop: Child {
    /// Asks for an orderly stop and returns at once; `run()` ends when it is done.
    ///
    /// Cancellation follows after three quarters of the grace, except when the whole supervisor
    /// stops: so each wait of an orderly child watches for this request by itself, for example with
    /// `NodeClock.run(unless:)`.
    func requestStop()
}
