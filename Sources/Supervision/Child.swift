/// Something that runs until it is told to stop: a driver, a server, a supervisor.
package protocol Child: Sendable {
    /// Runs until cancelled, and leaves what it holds safe on every way out.
    ///
    /// Returning is a normal exit, `CancellationError` while stopping likewise; anything else
    /// thrown is a failure and the supervisor decides.
    func run() async throws
}

/// A child that knows how to stop in order, from right to left: a supervisor.
package protocol OrderlyStop: Child {
    /// Asks for an orderly stop and returns at once; `run()` ends when it is done.
    func requestStop()
}
