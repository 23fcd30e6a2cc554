import Core
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import LinuxIO

@Suite struct EventLoopTests {
    @Test func returnsWhatTheRootReturns() throws {
        #expect(try EventLoop().run { 42 } == 42)
    }

    @Test func throwsWhatTheRootThrows() throws {
        let loop = try EventLoop()
        #expect(throws: LinuxError.closed) { try loop.run { throw LinuxError.closed } }
    }

    @Test func keepsActorsAndChildrenOnTheCallingThread() throws {
        let loop = try EventLoop()
        let here = UInt(pthread_self())
        let threads = try loop.run {
            let counter = Counter()
            return await withTaskGroup(of: UInt.self) { group in
                for _ in 0..<20 { group.addTask { await counter.threadAfterIncrement() } }
                return await group.reduce(into: Set<UInt>()) { $0.insert($1) }
            }
        }
        #expect(threads == [here])
    }

    @Test func runsJobsInTheOrderTheyWereMade() throws {
        let loop = try EventLoop()
        let order = try loop.run {
            let log = Log()
            await withDiscardingTaskGroup { group in
                for number in 0..<300 { group.addTask { await log.append(number) } }
            }
            return await log.numbers
        }
        #expect(order == Array(0..<300))
    }

    @Test func wakesTheEarlierOfTwoSleepersFirst() throws {
        let loop = try EventLoop()
        let order = try loop.run {
            let log = Log()
            let start = loop.clock.now
            try await withThrowingDiscardingTaskGroup { group in
                for milliseconds in [30, 10, 20] {
                    group.addTask {
                        try await loop.clock.sleep(
                            until: start.advanced(by: .milliseconds(milliseconds))
                        )
                        await log.append(milliseconds)
                    }
                }
            }
            return await log.numbers
        }
        #expect(order == [10, 20, 30])
    }

    @Test func neverWakesASleeperEarly() throws {
        let loop = try EventLoop()
        let early = try loop.run {
            var early = 0
            for _ in 0..<20 {
                let due = loop.clock.now.advanced(by: .microseconds(700))
                try await loop.clock.sleep(until: due)
                if loop.clock.now < due { early += 1 }
            }
            return early
        }
        #expect(early == 0)
    }

    @Test func wakesOnceForSleepsWhoseWindowsOverlap() throws {
        let loop = try EventLoop()
        let before = loop.counters
        try loop.run {
            let start = loop.clock.now
            try await withThrowingDiscardingTaskGroup { group in
                for milliseconds in [10, 15, 20, 25] {
                    group.addTask {
                        try await loop.clock.sleep(
                            until: start.advanced(by: .milliseconds(milliseconds)),
                            tolerance: .milliseconds(40 - milliseconds)
                        )
                    }
                }
            }
        }
        #expect(loop.counters.wakeUps - before.wakeUps == 1)
        #expect(loop.counters.timerWakeUps - before.timerWakeUps == 1)
    }

    @Test func setsTheTimerOnlyWhenTheNextWakeUpChanges() throws {
        let loop = try EventLoop()
        try loop.run {
            let end = loop.clock.now.advanced(by: .milliseconds(20))
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { try await loop.clock.sleep(until: end) }
                for _ in 0..<500 { await Task.yield() }
            }
        }
        #expect(loop.counters.timerSettings == 1)
    }

    @Test func endsASleepThatIsCancelled() throws {
        let loop = try EventLoop()
        let ended = try loop.run {
            await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    do {
                        try await loop.clock.sleep(for: .hours(1))
                        return false
                    } catch {
                        return error is CancellationError
                    }
                }
                await Task.yield()
                group.cancelAll()
                return await group.next() == true
            }
        }
        #expect(ended)
    }

    @Test func isWokenFromAnotherThread() throws {
        let loop = try EventLoop()
        let disk = try DiskThread()
        let (here, there) = try loop.run {
            let there = try await disk.run { UInt(pthread_self()) }
            return (UInt(pthread_self()), there)
        }
        #expect(here == UInt(pthread_self()))
        #expect(there != here)
        #expect(loop.counters.crossThreadWakeUps <= 1)
    }

    @Test func sleepsForTasksOfOtherThreads() throws {
        let loop = try EventLoop()
        let late = try loop.run {
            let foreigner = try Foreigner()
            let due = loop.clock.now.advanced(by: .milliseconds(10))
            try await foreigner.sleep(until: due, on: loop.clock)
            return loop.clock.now >= due
        }
        #expect(late)
    }

    @Test func doesNotLetABusyTaskShutOutDescriptors() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        let isSeen = try loop.run {
            let watched = try loop.register(pipe.output)
            defer { watched.close() }
            let isSeen = Flag()
            await withDiscardingTaskGroup { group in
                group.addTask {
                    if (try? await watched.readable()) == true { isSeen.set() }
                }
                await Task.yield()
                pipe.write([1])
                // Bound: the loop looks at descriptors after 128 jobs.
                for _ in 0..<1_000 where !isSeen.isSet { await Task.yield() }
                group.cancelAll()
            }
            return isSeen.isSet
        }
        #expect(isSeen)
    }

    @Test func wakesATaskWhoseDescriptorIsClosed() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        #expect(throws: LinuxError.closed) {
            try loop.run {
                let watched = try loop.register(pipe.output)
                return try await withThrowingTaskGroup { group in
                    group.addTask { try await watched.readable() }
                    await Task.yield()
                    watched.close()
                    watched.close()
                    return try await group.next()
                }
            }
        }
    }

    @Test func tellsWhenADeadlineComesFirst() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        let isReadable = try loop.run {
            let watched = try loop.register(pipe.output)
            defer { watched.close() }
            let deadline = loop.clock.now.advanced(by: .milliseconds(5))
            return try await watched.readable(until: deadline)
        }
        #expect(!isReadable)
    }

    @Test func waitsForRoomToWrite() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        let isWritable = try loop.run {
            let watched = try loop.register(pipe.input)
            defer { watched.close() }
            while pipe.write([UInt8](repeating: 0, count: 4_096)) > 0 {}
            let soon = loop.clock.now.advanced(by: .milliseconds(5))
            let isEarly = try await watched.writable(until: soon)
            while !pipe.read(4_096).isEmpty {}
            return (isEarly, try await watched.writable())
        }
        #expect(isWritable == (false, true))
    }

    @Test func refusesADescriptorThatNeverWaits() throws {
        let loop = try EventLoop()
        let folder = try TestFolder()
        let file = open(folder.path("plain"), O_RDWR | O_CREAT, 0o600)
        defer { close(file) }
        #expect(throws: LinuxError.system(call: "epoll_ctl", errno: EPERM, path: nil)) {
            try loop.register(file)
        }
    }
}

private actor Counter {
    private var count = 0

    func threadAfterIncrement() -> UInt {
        count += 1
        return UInt(pthread_self())
    }
}

private actor Log {
    private(set) var numbers: [Int] = []

    func append(_ number: Int) { numbers.append(number) }
}

/// An actor on a thread of its own that waits on the loop's clock.
private actor Foreigner {
    private let executor: ThreadExecutor

    init() throws { executor = ThreadExecutor(thread: try DiskThread(name: "foreigner")) }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func sleep(until deadline: MonotonicInstant, on clock: any NodeClock) async throws {
        try await clock.sleep(until: deadline)
    }
}

private final class ThreadExecutor: SerialExecutor {
    private let thread: DiskThread

    init(thread: DiskThread) { self.thread = thread }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        do {
            try thread.submit { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
