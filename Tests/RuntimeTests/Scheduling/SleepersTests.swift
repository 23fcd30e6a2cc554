import Core
import Testing

@testable import Runtime

@Suite struct SleepersTests {
    private func second(_ count: Int) -> MonotonicInstant { .boot.advanced(by: .seconds(count)) }

    /// Lets other tasks run until a wait is planned.
    private func plannedWake(_ sleepers: Sleepers) async -> MonotonicInstant? {
        while sleepers.nextWake == nil, !Task.isCancelled { await Task.yield() }
        return sleepers.nextWake
    }

    @Test func timeEndsAWait() async throws {
        let sleepers = Sleepers()
        async let isRaised = sleepers.wait(
            for: Signal(),
            until: second(5),
            tolerance: .seconds(2)
        )
        #expect(await plannedWake(sleepers) == second(7))
        #expect(sleepers.wake(at: second(4)) == 0)
        #expect(sleepers.wake(at: second(5)) == 1)
        #expect(try await !isRaised)
        #expect(sleepers.nextWake == nil)
    }

    @Test func aSignalEndsAWaitAndTakesItOutOfThePlan() async throws {
        let (sleepers, signal) = (Sleepers(), Signal())
        async let isRaised = sleepers.wait(for: signal, until: second(5), tolerance: .zero)
        _ = await plannedWake(sleepers)
        signal.raise()
        #expect(try await isRaised)
        #expect(sleepers.nextWake == nil)
    }

    @Test func aSignalRaisedBeforeIsRememberedOnce() async throws {
        let (sleepers, signal) = (Sleepers(), Signal())
        signal.raise()
        signal.raise()
        #expect(try await sleepers.wait(for: signal, until: nil, tolerance: .zero))
        async let second = sleepers.wait(for: signal, until: second(1), tolerance: .zero)
        _ = await plannedWake(sleepers)
        sleepers.wake(at: self.second(1))
        #expect(try await !second)
    }

    @Test func cancellationEndsAWaitAndTakesItOutOfThePlan() async {
        let sleepers = Sleepers()
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                do {
                    _ = try await sleepers.wait(
                        for: Signal(),
                        until: self.second(5),
                        tolerance: .zero
                    )
                    return false
                } catch { return error is CancellationError }
            }
            _ = await plannedWake(sleepers)
            group.cancelAll()
            #expect(await group.next() == true)
        }
        #expect(sleepers.nextWake == nil)
    }

    @Test func aCancelledTaskDoesNotWaitAtAll() async {
        let sleepers = Sleepers()
        await withTaskGroup(of: Bool.self) { group in
            group.cancelAll()
            group.addTask {
                do {
                    _ = try await sleepers.wait(for: Signal(), until: nil, tolerance: .zero)
                    return false
                } catch { return error is CancellationError }
            }
            #expect(await group.next() == true)
        }
    }
}
