import NIOCore

/// Runs Swift tasks on NIO's loop.
///
/// Without it each request goes to Dispatch's pool and back, and Dispatch, once used, wakes the
/// process each second for ever. `Task.sleep` starts Dispatch all the same: wait with
/// `scheduleTask`.
package final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    package init(_ loop: any EventLoop) { self.loop = loop }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
