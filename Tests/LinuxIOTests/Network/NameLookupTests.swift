import Core
import Glibc
import HardwareIO
import Testing

@testable import LinuxIO

/// With a stand-in for the resolver that hangs until the test lets it go.
@Suite struct NameLookupTests {
    /// Hangs for every name but `fast`.
    private final class Resolver: Sendable {
        let gate: Pipe

        init() throws {
            gate = try Pipe()
            _ = fcntl(gate.output, F_SETFL, 0)
        }

        var resolve: NameLookup.Resolve {
            { [gate] host in
                if host != "fast" { _ = gate.read(1) }
                return host == "unknown" ? [] : [[127, 0, 0, 1]]
            }
        }

        /// Lets so many look-ups go on.
        func open(_ count: Int) { gate.write(Array(repeating: 7, count: count)) }
    }

    private func withLookup<Value: Sendable>(
        _ body: @escaping @Sendable (NameLookup, Resolver, EventLoop) async throws -> Value
    ) throws -> Value {
        let loop = try EventLoop()
        let resolver = try Resolver()
        let names = NameLookup(clock: loop.clock, resolve: resolver.resolve)
        // Look-ups that hang are released at the end, so that no thread outlives its test.
        defer { resolver.open(16) }
        return try loop.run { try await body(names, resolver, loop) }
    }

    @Test func aSilentNameServerHoldsUpNeitherItsTaskNorAnotherName() throws {
        let (silent, fast) = try withLookup { names, _, loop in
            let soon = loop.clock.now.advanced(by: .milliseconds(20))
            let silent = try await names.addresses(of: "silent", until: soon)
            let later = loop.clock.now.advanced(by: .seconds(60))
            return (silent, try await names.addresses(of: "fast", until: later))
        }
        #expect(silent == nil)
        #expect(fast == [[127, 0, 0, 1]])
    }

    @Test func aTaskThatIsCancelledLeavesAtOnce() throws {
        let isLeft = try withLookup { names, _, loop in
            await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    let later = loop.clock.now.advanced(by: .hours(1))
                    do { _ = try await names.addresses(of: "silent", until: later) } catch {
                        return error is CancellationError
                    }
                    return false
                }
                await Task.yield()
                group.cancelAll()
                return await group.next() ?? false
            }
        }
        #expect(isLeft)
    }

    @Test func asksForFourNamesAtOnceAndForEachOnce() throws {
        let counts = try withLookup { names, _, loop in
            var counts: [Int] = []
            for host in ["a", "a", "b", "c", "d", "e", "f", "a", "e"] {
                let soon = loop.clock.now.advanced(by: .milliseconds(5))
                _ = try await names.addresses(of: host, until: soon)
                counts.append(names.busyCount)
            }
            return counts
        }
        #expect(counts == [1, 1, 2, 3, 4, 4, 4, 4, 4])
    }

    @Test func goesOnWhenTheNameServerAnswersAgain() throws {
        let found = try withLookup { names, resolver, loop in
            for host in ["a", "b", "c", "d"] {
                let soon = loop.clock.now.advanced(by: .milliseconds(5))
                _ = try await names.addresses(of: host, until: soon)
            }
            resolver.open(5)
            let later = loop.clock.now.advanced(by: .seconds(60))
            return try await names.addresses(of: "e", until: later)
        }
        #expect(found == [[127, 0, 0, 1]])
    }

    @Test func keepsAnAnswerThatCameTooLateForTheNextTask() throws {
        let found = try withLookup { names, resolver, loop in
            let soon = loop.clock.now.advanced(by: .milliseconds(5))
            #expect(try await names.addresses(of: "slow", until: soon) == nil)
            resolver.open(1)
            while names.busyCount > 0 {
                let next = loop.clock.now.advanced(by: .milliseconds(1))
                try await loop.clock.sleep(until: next)
            }
            // Nothing lets a second look-up go on.
            return try await names.addresses(of: "slow", until: loop.clock.now)
        }
        #expect(found == [[127, 0, 0, 1]])
    }

    @Test func tellsEveryTaskThatWaitsForAName() throws {
        let found = try withLookup { names, resolver, loop in
            let later = loop.clock.now.advanced(by: .seconds(60))
            async let one = names.addresses(of: "unknown", until: later)
            async let other = names.addresses(of: "unknown", until: later)
            await Task.yield()
            resolver.open(1)
            return try await [one, other]
        }
        #expect(found == [[], []])
    }

    @Test func aFetchEndsAtItsDeadlineWhenTheNameServerIsSilent() throws {
        let error = try withLookup { names, _, loop in
            let target = try #require(HTTPTarget("http://board.lan/"))
            let soon = loop.clock.now.advanced(by: .milliseconds(20))
            do {
                _ = try await LinuxHTTP(on: loop, names: names).get(target, until: soon)
                return HTTPError?.none
            } catch { return error as? HTTPError }
        }
        #expect("\(try #require(error))".contains("name server does not answer for board.lan"))
    }
}
