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
        var isClosed = false
        var isGone = false
    }

    private let path: String
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
        (self.path, self.clock) = (path, clock)
        steps = try BusSteps(place, path: path)
        thread = try DiskThread(name: "bus")
    }

    package func read(
        atLeast count: Int,
        until deadline: MonotonicInstant
    ) async throws -> [UInt8]? {
        while true {
            let (bytes, isOver) = state.withLock { state in
                defer { state.answer.removeAll() }
                return (state.answer, state.isClosed || state.isGone)
            }
            if !bytes.isEmpty { return bytes }
            guard !isOver else { throw SerialError.disconnected(path: path) }
            let isInTime = try await clock.wait(for: arrived, until: deadline, tolerance: .zero)
            guard isInTime else { return nil }
        }
    }

    package func write(_ bytes: [UInt8]) throws(SerialError) {
        let (isOver, question) = state.withLock { state in
            guard !state.isClosed, !state.isGone else { return (true, BusQuestion?.none) }
            state.begun += bytes
            guard let end = state.begun.firstIndex(of: UInt8(ascii: "\n")) else {
                if state.begun.count > BusQuestion.byteLimit { state.begun.removeAll() }
                return (false, nil)
            }
            let question = BusQuestion(state.begun[..<end])
            state.begun.removeAll()
            guard let question, state.isAsking else {
                if question != nil { state.isAsking = true }
                return (false, question)
            }
            // Its answer would come with the present one: that one is too late for its asker.
            state.next = question
            return (false, nil)
        }
        guard !isOver else { throw .disconnected(path: path) }
        if let question { try ask(question) }
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
            if isThere, let next = state.next { return next }
            state.isAsking = false
            if isThere { state.answer = answer.bytes }
            if state.isClosed { Self.hanging.withLock { _ = $0.remove(path) } }
            return nil
        }
    }

    package func discardInput() throws(SerialError) {
        let isOver = state.withLock { state in
            state.answer.removeAll()
            return state.isClosed || state.isGone
        }
        if isOver { throw .disconnected(path: path) }
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
