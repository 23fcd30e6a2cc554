import Core
import Glibc
import HardwareIO
import Synchronization

/// A part on a bus of the board, in the place of a serial line: a question in, an answer out.
///
/// A reading may block: a DHT22 takes up to two seconds, a bus that hangs does not come back at
/// all. So each port has a thread of its own, and neither the loop nor another part waits for it.
package final class BusPort: SerialPort {
    private struct State {
        /// A question that has begun.
        var begun: [UInt8] = []
        /// The question that is asked once the present one has its answer.
        var next: BusQuestion?
        var isAsking = false
        var answer: [UInt8] = []
        var timeouts = BusTimeouts()
        var isClosed = false
        var isGone = false

        var end: End? {
            if isClosed || isGone { return .disconnected }
            return timeouts.isStuck ? .stuck : nil
        }
    }

    /// Why a port gives no more answers.
    private enum End { case disconnected, stuck }

    private let path: String
    private let canBeStuck: Bool
    private let clock: any NodeClock
    private let steps: BusSteps
    private let thread: DiskThread
    private let state = Mutex(State())
    private let arrived = Signal()

    /// Paths of which a reading has not come back, though its port was closed; bound: the parts
    /// that a machine has, as no second port of a path is opened meanwhile.
    private static let hanging = Mutex<Set<String>>([])

    /// Whether an earlier reading of the part has not come back.
    package static func isHanging(_ path: String) -> Bool {
        hanging.withLock { $0.contains(path) }
    }

    /// Opens a part; may block.
    ///
    /// - Throws: `SerialError`; `.hanging` while an earlier reading of the part has not come back.
    package init(
        _ place: BusPlace,
        path: String,
        clock: any NodeClock
    ) throws {
        guard !Self.isHanging(path) else { throw SerialError.hanging(path: path) }
        (self.path, self.clock, canBeStuck) = (path, clock, place.isOnI2C)
        steps = try BusSteps(place, path: path)
        thread = try DiskThread(name: "bus")
        state.withLock { [name = steps.busName] in $0.timeouts = BusTimeouts(bus: name) }
    }

    package func read(
        atLeast count: Int,
        until deadline: MonotonicInstant
    ) async throws -> [UInt8]? {
        while true {
            let (bytes, end) = state.withLock { state in
                defer { state.answer.removeAll() }
                return (state.answer, state.end)
            }
            if !bytes.isEmpty { return bytes }
            if let end { throw error(end) }
            let isInTime = try await clock.wait(for: arrived, until: deadline, tolerance: .zero)
            guard isInTime else { return nil }
        }
    }

    package func write(_ bytes: [UInt8]) throws(SerialError) {
        let (end, question) = state.withLock { state -> (End?, BusQuestion?) in
            if let end = state.end { return (end, nil) }
            state.begun += bytes
            guard let end = state.begun.firstIndex(of: UInt8(ascii: "\n")) else {
                if state.begun.count > BusQuestion.byteLimit { state.begun.removeAll() }
                return (nil, nil)
            }
            let question = BusQuestion(state.begun[..<end])
            state.begun.removeAll()
            guard let question, state.isAsking else {
                if question != nil { state.isAsking = true }
                return (nil, question)
            }
            // Its answer would come with the present one: that one is too late for its asker.
            state.next = question
            return (nil, nil)
        }
        if let end { throw error(end) }
        if let question { try ask(question) }
    }

    private func error(_ end: End) -> SerialError {
        switch end {
        case .disconnected: .disconnected(path: path)
        case .stuck: .stuck(path: path)
        }
    }

    private func ask(_ question: BusQuestion) throws(SerialError) {
        do throws(LinuxError) {
            try thread.submit { [self] in finish(steps.answer(question)) }
        } catch {
            state.withLock { $0.isAsking = false }
            throw .backlog(path: path)
        }
    }

    /// On the port's thread: hands the answer over, or asks what was asked meanwhile.
    private func finish(_ first: BusAnswer) {
        var answer = first
        while let next = next(after: answer) { answer = steps.answer(next) }
        arrived.raise()
    }

    /// The question that waits; a part that is to rest gets that one after a close, too.
    private func next(after answer: BusAnswer) -> BusQuestion? {
        let isThere = steps.isThere
        return state.withLock { state in
            defer { state.next = nil }
            state.isGone = !isThere
            if canBeStuck { state.timeouts.record(answer) }
            if isThere, let next = state.next { return next }
            state.isAsking = false
            if isThere { state.answer = answer.bytes }
            if state.isClosed { Self.hanging.withLock { _ = $0.remove(path) } }
            return nil
        }
    }

    package func discardInput() throws(SerialError) {
        let end = state.withLock { state in
            state.answer.removeAll()
            return state.end
        }
        if let end { throw error(end) }
    }

    package func close() {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.isClosed = true
            if state.isAsking { _ = Self.hanging.withLock { $0.insert(path) } }
        }
        arrived.raise()
    }
}
