import CLinux
import Core
import Glibc
import HardwareIO
import Synchronization

/// Looks up names of devices on threads of their own: a silent name server may take half a minute
/// for each, cannot be interrupted, and must hold up neither the card nor the loop.
///
/// Each name has one look-up at a time, and every task that asks for it waits for that one. An
/// answer that comes after its tasks have left waits for the next task, so that a name server that
/// is slower than the patience of a driver still helps. Threads end when nothing is left to do.
package final class NameLookup: Sendable {
    /// Looks up one name; may block.
    package typealias Resolve = @Sendable (_ host: String) -> [[UInt8]]

    /// Addresses of one name that are tried.
    static let addressLimit = 4
    /// Names looked up at the same time; one more waits until a thread is free, or its time is up.
    static let threadLimit = 4
    /// A late answer older than this is not used: the device may have another address by now.
    static let answerAgeMax: Duration = .minutes(1)

    private struct Entry {
        /// One signal for each task that waits; bound: one per device.
        var waiting: [Signal] = []
        var answer: (addresses: [[UInt8]], at: MonotonicInstant)?
    }

    private struct State {
        /// By name; bound: one per device, as only names that devices ask for come here.
        var entries: [String: Entry] = [:]
        var queue: [String] = []
        var threads: [DiskThread] = []
        var busyCount = 0
    }

    private let resolve: Resolve
    private let clock: any NodeClock
    private let state = Mutex(State())

    package init(clock: any NodeClock, resolve: @escaping Resolve = NameLookup.ask) {
        (self.clock, self.resolve) = (clock, resolve)
    }

    /// The addresses of a name.
    ///
    /// - Returns: None when the name is not known; nil when time came first.
    /// - Throws: `CancellationError`; `LinuxError` when there is no thread to be had.
    package func addresses(
        of host: String,
        until deadline: MonotonicInstant
    ) async throws -> [[UInt8]]? {
        if let known = takeAnswer(for: host) { return known }
        let arrived = Signal()
        try join(host, arrived)
        defer { leave(host, arrived) }
        _ = try await clock.wait(for: arrived, until: deadline, tolerance: .zero)
        return state.withLock { $0.entries[host]?.answer?.addresses }
    }

    /// How many look-ups are under way.
    var busyCount: Int { state.withLock { $0.busyCount } }

    /// Uses an answer that came too late for the tasks that asked for it.
    private func takeAnswer(for host: String) -> [[UInt8]]? {
        let now = clock.now
        return state.withLock { state in
            guard let entry = state.entries[host], let answer = entry.answer else { return nil }
            if entry.waiting.isEmpty { state.entries[host] = nil }
            return answer.at.duration(to: now) <= Self.answerAgeMax ? answer.addresses : nil
        }
    }

    private func join(_ host: String, _ arrived: Signal) throws {
        let isNew = state.withLock { state in
            let isNew = state.entries[host] == nil
            state.entries[host, default: Entry()].waiting.append(arrived)
            if isNew { state.queue.append(host) }
            return isNew
        }
        do {
            if isNew { try startNext() }
        } catch {
            leave(host, arrived)
            throw error
        }
    }

    /// Removes a task from the list; the last one also removes an unused answer.
    private func leave(_ host: String, _ arrived: Signal) {
        state.withLock { state in
            state.entries[host]?.waiting.removeAll { $0 === arrived }
            guard let entry = state.entries[host], entry.waiting.isEmpty else { return }
            // A look-up that has not begun is not needed any more.
            let isQueued = state.queue.contains(host)
            if isQueued || entry.answer != nil { state.entries[host] = nil }
            if isQueued { state.queue.removeAll { $0 == host } }
        }
    }

    /// Begins the next look-up when a thread is free.
    private func startNext() throws {
        let next = try state.withLock { state -> (host: String, thread: DiskThread)? in
            guard state.busyCount < Self.threadLimit, let host = state.queue.first else {
                return nil
            }
            let thread = try state.threads.popLast() ?? DiskThread(name: "lookup")
            state.queue.removeFirst()
            state.busyCount += 1
            return (host, thread)
        }
        guard let (host, thread) = next else { return }
        try thread.submit { [self] in
            let addresses = resolve(host)
            finish(host, addresses, thread)
        }
    }

    private func finish(_ host: String, _ addresses: [[UInt8]], _ thread: DiskThread) {
        let waiting = state.withLock { state in
            state.busyCount -= 1
            // One thread stays for the next name, the others end.
            if state.threads.isEmpty { state.threads.append(thread) }
            state.entries[host]?.answer = (addresses, clock.now)
            return state.entries[host]?.waiting ?? []
        }
        for signal in waiting { signal.raise() }
        // The thread that this one has just left is free, so there is no new one to be made.
        try? startNext()
    }

    /// Asks the resolver of the system.
    package static let ask: Resolve = { host in
        var bytes = [UInt8](repeating: 0, count: 16 * addressLimit)
        var lengths = [Int32](repeating: 0, count: addressLimit)
        let count = bytes.withUnsafeMutableBytes { buffer in
            let rows = buffer.baseAddress?.assumingMemoryBound(
                to: (
                    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
                    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
                ).self
            )
            return clinux_resolve(host, rows, &lengths, Int32(addressLimit))
        }
        guard count > 0 else { return [] }
        return (0..<Int(count)).map { index in
            Array(bytes[(16 * index)..<(16 * index + Int(lengths[index]))])
        }
    }
}
