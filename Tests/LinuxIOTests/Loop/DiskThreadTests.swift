import Glibc
import Testing

@testable import LinuxIO

@Suite struct DiskThreadTests {
    @Test func runsEverythingOnOneThreadInOrder() throws {
        let disk = try DiskThread()
        let loop = try EventLoop()
        let threads = try loop.run {
            try await withThrowingTaskGroup(of: UInt.self) { group in
                for _ in 0..<50 { group.addTask { try await disk.run { UInt(pthread_self()) } } }
                return try await group.reduce(into: Set<UInt>()) { $0.insert($1) }
            }
        }
        #expect(threads.count == 1)
        #expect(threads.first != UInt(pthread_self()))
    }

    @Test func throwsWhatTheBodyThrows() throws {
        let disk = try DiskThread()
        let loop = try EventLoop()
        #expect(throws: LinuxError.closed) {
            try loop.run { try await disk.run { throw LinuxError.closed } }
        }
    }

    @Test func leavesTheLoopFreeWhileItBlocks() throws {
        let disk = try DiskThread()
        let loop = try EventLoop()
        let gate = try Pipe()
        _ = fcntl(gate.output, F_SETFL, 0)
        let byte = try loop.run {
            // The disk thread blocks in read until the loop, which must not, writes.
            async let byte = disk.run { gate.read(1) }
            await Task.yield()
            gate.write([7])
            return try await byte
        }
        #expect(byte == [7])
    }

    @Test func whoIsCancelledLeavesWhatBlocksAndItIsDoneAllTheSame() throws {
        let disk = try DiskThread()
        let loop = try EventLoop()
        let (gate, done) = (try Pipe(), try Pipe())
        _ = fcntl(gate.output, F_SETFL, 0)
        _ = fcntl(done.output, F_SETFL, 0)
        let isLeft = try loop.run {
            await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    do {
                        try await disk.run { _ = done.write(gate.read(1)) }
                        return false
                    } catch { return error is CancellationError }
                }
                await Task.yield()
                group.cancelAll()
                return await group.next() ?? false
            }
        }
        #expect(isLeft)
        gate.write([7])
        #expect(done.read(1) == [7])
    }

    @Test func refusesMoreThanItsBound() throws {
        let disk = try DiskThread()
        let loop = try EventLoop()
        let gate = try Pipe()
        _ = fcntl(gate.output, F_SETFL, 0)
        let refusal = try loop.run { () -> LinuxError? in
            await withTaskGroup(of: LinuxError?.self) { group in
                // One is under way, the others wait for it.
                group.addTask { (try? await disk.run { _ = gate.read(1) }).map { nil } ?? nil }
                for _ in 0...DiskThread.waitingMax {
                    group.addTask {
                        do { try await disk.run {} } catch { return error as? LinuxError }
                        return nil
                    }
                }
                while let answer = await group.next() {
                    guard let error = answer else { continue }
                    gate.write([7])
                    await group.waitForAll()
                    return error
                }
                return nil
            }
        }
        #expect(refusal == .system(call: "disk thread", errno: EBUSY, path: nil))
    }
}
