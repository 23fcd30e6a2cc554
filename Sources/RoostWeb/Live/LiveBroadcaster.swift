import ControlProtocol
import HTTPTypes
import NIOCore
import Synchronization

/// One connection to the station's live stream for all pages that watch; none while no page does.
package final class LiveBroadcaster: Sendable {
    /// Pages that watch at most.
    static let listenerMax = 32
    /// Items that wait for one slow page; further ones are counted and left out.
    static let waitingMax = 256
    /// Interval of the beats, which show a page that its connection lives, and this side that the
    /// page was not left: one that was counts as open until then.
    static let beat = TimeAmount.seconds(5)
    static let pause = TimeAmount.seconds(3)
    private static let beatText = "event: beat\ndata: {}\n\n"

    private struct Listener {
        let continuation: AsyncStream<String>.Continuation
        var omitted = 0
    }

    private struct State {
        var items: LiveItems
        var listeners: [Int: Listener] = [:]
        var lastID = 0
        var epochs: UInt32
    }

    private let station: StationClient
    private let clientVersion: String
    private let loop: any EventLoop
    private let state: Mutex<State>
    private let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    /// - Parameter clientVersion: Hash of the client's files: a page of another version loads
    ///   itself anew.
    package init(
        _ station: StationClient,
        clientVersion: String,
        on loop: any EventLoop,
        seed: UInt32 = .random(in: .min ... .max)
    ) {
        (self.station, self.clientVersion, self.loop) = (station, clientVersion, loop)
        let epoch = String(seed, radix: 16)
        state = Mutex(State(items: LiveItems(epoch: epoch), epochs: seed))
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The answer to one page too many.
    static var isFull: Problem {
        Problem(.busy, "\(listenerMax) pages follow already", headers: [.retryAfter: "30"])
    }

    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Follows the station while there are listeners; until the task is cancelled.
    package func run() async {
        for await _ in changes where listenerCount > 0 {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.follow() }
                group.addTask { await self.beat() }
                group.addTask { await self.waitForNoListener() }
                await group.next()
                group.cancelAll()
            }
        }
    }

    /// The stream of one page: what it missed, then what comes.
    ///
    /// - Parameters:
    ///   - last: The `Last-Event-ID` that it sent.
    ///   - isAdmitted: Asked with each beat: a log-out ends the stream.
    ///   - write: Sends a piece; throws when the page is gone.
    /// - Throws: `Problem` `busy` for one page too many; what `write` throws.
    package func serve(
        after last: String?,
        while isAdmitted: @Sendable () async -> Bool,
        _ write: WebResponse.Writer
    ) async throws {
        let (stream, continuation) = AsyncStream<String>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.waitingMax)
        )
        let joined = state.withLock { state -> (Int, [String])? in
            // Checked again, as several pages may ask at one moment.
            guard state.listeners.count < Self.listenerMax else { return nil }
            state.lastID += 1
            state.listeners[state.lastID] = Listener(continuation: continuation)
            let epoch = state.items.epoch
            let hello = #"{"epoch":"\#(epoch)","clientVersion":"\#(clientVersion)"}"#
            let missed: [String] =
                switch state.items.resumption(after: last) {
                case .items(let items): items.map(\.text)
                case .reset: ["event: reset\ndata: {}\n\n"]
                }
            return (state.lastID, ["retry: 3000\n\nevent: hello\ndata: \(hello)\n\n"] + missed)
        }
        guard let (id, first) = joined else { throw Self.isFull }
        changed.yield()
        defer {
            _ = state.withLock { $0.listeners.removeValue(forKey: id) }
            changed.yield()
        }
        for text in first { try await write(Array(text.utf8)) }
        for await text in stream {
            if text == Self.beatText {
                guard await isAdmitted() else { return }
            }
            try await write(Array(text.utf8))
        }
    }

    private func waitForNoListener() async {
        while !Task.isCancelled, listenerCount > 0 { await sleep(.seconds(5)) }
    }

    private func beat() async {
        while !Task.isCancelled {
            await sleep(Self.beat)
            offer(Self.beatText)
        }
    }

    /// Follows the station's live stream, again after each break, which makes every page load anew.
    private func follow() async {
        while !Task.isCancelled {
            do {
                try await station.live { item in self.broadcast(item) }
            } catch {
                // The pages learn it from `reset`, and from `/station`, which then says it is down.
            }
            guard !Task.isCancelled else { return }
            renew()
            await sleep(Self.pause)
        }
    }

    private func renew() {
        let text = state.withLock { state -> String in
            state.epochs &+= 1
            state.items = LiveItems(epoch: String(state.epochs, radix: 16))
            return "event: reset\ndata: {}\n\n"
        }
        offer(text)
    }

    private func broadcast(_ item: LiveItem) {
        do {
            for (kind, json) in try Self.items(of: item) { append(kind, json) }
        } catch {
            // It holds a number that JSON does not have: the page asks for the present again.
            append("station", "{}")
        }
    }

    /// Kinds and JSON of the stream's items for one of the station.
    ///
    /// - Throws: `EncodingError` for a number that JSON does not have.
    static func items(of item: LiveItem) throws -> [(kind: String, json: String)] {
        if let reading = item.reading {
            return [("reading", try ControlCodec.line(reading))]
        }
        if let event = item.event {
            let json = try ControlCodec.line(event)
            return [("event", json)] + (event.kind.hasPrefix("alert ") ? [("alert", json)] : [])
                + (isNews(event) ? [("station", "{}")] : [])
        }
        return try item.omittedCount.map { [("omitted", try ControlCodec.line(["count": $0]))] }
            ?? []
    }

    /// Whether a page should ask for the station again after an event.
    private static func isNews(_ event: EventReport) -> Bool {
        event.severity != "info"
            || ["device", "mode", "lamp", "mute", "sensor", "child", "motion"].contains {
                event.kind.hasPrefix($0)
            }
    }

    private func append(_ event: String, _ json: String) {
        offer(state.withLock { $0.items.append(event: event, data: json).text })
    }

    private func offer(_ text: String) {
        state.withLock { state in
            for id in state.listeners.keys {
                guard var listener = state.listeners[id] else { continue }
                if listener.omitted > 0 {
                    let note = "event: omitted\ndata: {\"count\":\(listener.omitted)}\n\n"
                    guard case .enqueued = listener.continuation.yield(note) else {
                        listener.omitted += 1
                        state.listeners[id] = listener
                        continue
                    }
                    listener.omitted = 0
                }
                if case .dropped = listener.continuation.yield(text) { listener.omitted += 1 }
                state.listeners[id] = listener
            }
        }
    }

    /// Dispatch would wake the process each second once `Task.sleep` has used it.
    private func sleep(_ time: TimeAmount) async {
        let waiting = loop.scheduleTask(in: time) {}
        await withTaskCancellationHandler {
            _ = try? await waiting.futureResult.get()
        } onCancel: {
            waiting.cancel()
        }
    }
}
