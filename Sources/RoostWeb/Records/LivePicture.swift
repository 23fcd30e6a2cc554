import ControlProtocol
import Logging
import NIOCore
import Synchronization

/// One connection to the camera's live picture for all viewers, and none without a viewer.
///
/// A viewer that is slower than the camera misses frames; no frame waits for it but the newest.
/// Bound: `viewerMax` viewers.
package final class LivePicture: Sendable {
    static let viewerMax = 8
    static let boundary = "roost-frame"
    /// Interval between checks of a viewer's right.
    private static let look = TimeAmount.seconds(15)

    private struct State {
        var viewers: [Int: AsyncStream<[UInt8]>.Continuation] = [:]
        var lastID = 0
        /// Keeps the connection open until the last viewer finishes it.
        var wish: AsyncStream<Void>.Continuation?
    }

    private let stream: LiveStream
    private let logger: Logger
    private let state = Mutex(State())
    private let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    package init(_ stream: LiveStream, logger: Logger) {
        (self.stream, self.logger) = (stream, logger)
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var viewerCount: Int { state.withLock { $0.viewers.count } }

    /// Follows the camera while there are viewers; until the task is cancelled.
    package func run() async {
        for await _ in changes {
            while !Task.isCancelled, viewerCount > 0 { await followOnce() }
        }
    }

    /// Follows the camera until the stream or the last viewer ends.
    private func followOnce() async {
        let (wishes, wish) = AsyncStream<Void>.makeStream()
        let isWanted = state.withLock { state in
            state.wish = wish
            return !state.viewers.isEmpty
        }
        guard isWanted else { return }
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await self.follow() }
            group.addTask {
                for await _ in wishes {}
                return false
            }
            let isOver = await group.next() ?? false
            group.cancelAll()
            // Later viewers get a connection of their own.
            if isOver { dismiss() }
        }
    }

    /// - Returns: True, as the stream is over; its viewers are to go.
    private func follow() async -> Bool {
        do {
            if let last = try await stream.follow({ self.offer($0) }) {
                logger.debug("the live picture ended: \(last.state.rawValue) \(last.why ?? "")")
            }
        } catch is CancellationError {
            return false
        } catch {
            logger.info("no live picture: \(error)")
        }
        return !Task.isCancelled
    }

    private func dismiss() {
        let viewers = state.withLock { state in
            defer { state.viewers = [:] }
            return Array(state.viewers.values)
        }
        for viewer in viewers { viewer.finish() }
    }

    private func offer(_ frame: [UInt8]) {
        let viewers = state.withLock { Array($0.viewers.values) }
        guard !viewers.isEmpty else { return }
        // The boundary stands behind each frame: browsers show one when they see its end.
        let head = "Content-Type: image/jpeg\r\nContent-Length: \(frame.count)\r\n\r\n"
        var part = Array(head.utf8)
        part.reserveCapacity(head.utf8.count + frame.count + Self.boundary.utf8.count + 8)
        part += frame
        part += "\r\n--\(Self.boundary)\r\n".utf8
        for viewer in viewers { viewer.yield(part) }
    }

    /// Refuses a viewer too many before the answer begins.
    ///
    /// - Throws: `Problem` `busy`.
    func demandRoom() throws {
        guard viewerCount < Self.viewerMax else { throw Self.noRoom }
    }

    private static var noRoom: Problem {
        Problem(.busy, "\(viewerMax) viewers watch the live picture already")
    }

    private func enter() throws -> (id: Int, frames: AsyncStream<[UInt8]>) {
        let (frames, continuation) = AsyncStream<[UInt8]>.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        let id = try state.withLock { state in
            guard state.viewers.count < Self.viewerMax else { throw Self.noRoom }
            state.lastID += 1
            state.viewers[state.lastID] = continuation
            return state.lastID
        }
        changed.yield()
        return (id, frames)
    }

    private func leave(_ id: Int) {
        state.withLock { state in
            state.viewers[id] = nil
            if state.viewers.isEmpty { state.wish?.finish() }
        }
    }

    /// The multipart body of one viewer, until the stream ends or the viewer is gone.
    ///
    /// - Parameters:
    ///   - isAdmitted: Asked now and again: a log-out ends the stream.
    ///   - write: Sends a piece; throws when the viewer is gone.
    /// - Throws: `Problem` `busy` for a viewer too many; what `write` throws.
    func serve(
        while isAdmitted: @Sendable () async -> Bool,
        _ write: WebResponse.Writer
    ) async throws {
        let (id, frames) = try enter()
        defer { leave(id) }
        try await write(Array("--\(Self.boundary)\r\n".utf8))
        var looked = NIODeadline.now()
        for await frame in frames {
            if NIODeadline.now() - looked > Self.look {
                looked = .now()
                guard await isAdmitted() else { return }
            }
            try await write(frame)
        }
    }
}
