import Core
import Synchronization

/// Why a simulation could not finish.
enum SimulationError: Error, Hashable {
    /// No task can run and none waits for time: a deadlock, at this instant.
    case stalled(at: MonotonicInstant)
    /// The body was still running at the limit.
    case outOfTime(limit: Duration)
}

/// Runs `body` and every task below it in simulated time, on this thread, the same every time.
///
/// - Parameters:
///   - seed: Seed of everything that needs chance.
///   - limit: Simulated time after which the body counts as hung.
///   - body: The root task; everything it starts runs in the same simulation.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws, or `SimulationError`.
package func simulate<Value: Sendable>(
    seed: UInt64 = 1,
    limit: Duration = .days(4_000),
    _ body: @escaping @Sendable (SimulatedClock) async throws -> Value
) throws -> Value {
    let executor = SimulatedExecutor()
    let clock = SimulatedClock(seed: seed)
    let result = Mutex<Result<Value, any Error>?>(nil)
    let root = Task<Void, Never>(executorPreference: executor) {
        do {
            let value = try await body(clock)
            result.withLock { $0 = .success(value) }
        } catch {
            result.withLock { $0 = .failure(error) }
        }
    }
    let end = clock.now.advanced(by: limit)
    while true {
        executor.drain()
        if let result = result.withLock({ $0 }) { return try result.get() }
        guard clock.now < end else {
            root.cancel()
            throw SimulationError.outOfTime(limit: limit)
        }
        guard clock.jump() else {
            root.cancel()
            executor.drain()
            if let result = result.withLock({ $0 }), case .success(let value) = result {
                return value
            }
            throw SimulationError.stalled(at: clock.now)
        }
    }
}

/// Runs `body` in simulated time and lets something happen between two of its jobs.
///
/// A job is what runs between two suspension points, so this reaches each of those.
///
/// - Parameters:
///   - jobCount: Jobs that run before; when there are fewer, nothing happens.
///   - limit: Simulated time after which the body counts as hung.
///   - interrupt: What happens; it must not wait.
/// - Returns: What `body` returns, and how many jobs ran.
/// - Throws: What `body` throws, or `SimulationError`.
package func simulate<Value: Sendable>(
    interruptedAfter jobCount: Int,
    limit: Duration = .days(1),
    by interrupt: () -> Void,
    _ body: @escaping @Sendable (SimulatedClock) async throws -> Value
) throws -> (value: Value, jobCount: Int) {
    let executor = SimulatedExecutor()
    let clock = SimulatedClock()
    let result = Mutex<Result<Value, any Error>?>(nil)
    let root = Task<Void, Never>(executorPreference: executor) {
        do {
            let value = try await body(clock)
            result.withLock { $0 = .success(value) }
        } catch {
            result.withLock { $0 = .failure(error) }
        }
    }
    let end = clock.now.advanced(by: limit)
    var (count, isInterrupted) = (0, false)
    while true {
        if count == jobCount, !isInterrupted {
            isInterrupted = true
            interrupt()
        }
        let ran = executor.drain(limit: isInterrupted ? .max : jobCount - count)
        count += ran
        if let result = result.withLock({ $0 }) { return (try result.get(), count) }
        if ran > 0 { continue }
        guard clock.now < end, clock.jump() else {
            root.cancel()
            executor.drain()
            throw clock.now < end
                ? SimulationError.stalled(at: clock.now) : .outOfTime(limit: limit)
        }
    }
}

/// Runs a part of a longer life in simulated time, until it ends by itself or is cut off.
///
/// Tasks that are cut off are cancelled and run to their end, so that they leave no memory; the
/// caller makes sure that they have no effect any more. Tasks that do not end by then stay
/// suspended.
///
/// - Parameters:
///   - start: What the clock says first.
///   - seed: Seed of everything that needs chance.
/// - Returns: What `body` returns; nil when it was cut off.
/// - Throws: What `body` throws, or `SimulationError.stalled`.
package func simulate<Value: Sendable>(
    startingAt start: MonotonicInstant,
    seed: UInt64,
    until isCut: () -> Bool,
    _ body: @escaping @Sendable (SimulatedClock) async throws -> Value
) throws -> Value? {
    let executor = SimulatedExecutor()
    let clock = SimulatedClock(seed: seed, startingAt: start)
    let result = Mutex<Result<Value, any Error>?>(nil)
    let root = Task<Void, Never>(executorPreference: executor) {
        do {
            let value = try await body(clock)
            result.withLock { $0 = .success(value) }
        } catch {
            result.withLock { $0 = .failure(error) }
        }
    }
    while true {
        executor.drain()
        if isCut() { break }
        if let result = result.withLock({ $0 }) { return try result.get() }
        guard clock.jump() else { break }
    }
    let isCut = isCut()
    let end = clock.now
    root.cancel()
    // A child may wait for a grace or two; it has no more than a day, and no more than this.
    var stepsLeft = 10_000
    repeat {
        executor.drain()
        stepsLeft -= 1
    } while result.withLock({ $0 == nil }) && stepsLeft > 0 && clock.jump()
    if !isCut { throw SimulationError.stalled(at: end) }
    return nil
}
