import ClientSupport
import ControlProtocol
import Core
import Glibc
import HardwareIO
import LinuxIO
import Synchronization

/// Follows a station and shows it: on the terminal's own screen, or as lines where there is none.
final class WatchShow: Sendable {
    /// Seconds between two questions to the station; the screen stays as it is between them.
    static let questionInterval = Duration.seconds(2)
    /// Time between two tries to reach a station that is not there.
    static let retryInterval = Duration.seconds(2)
    /// Readings of the past that are asked for, for the bars.
    static let pastLimit = 4_000

    private let socket: String
    private let timeout: Duration
    private let loop: EventLoop
    private let state: Mutex<WatchState>
    private let news = Signal()
    /// Whether the end of the station is the end of the show.
    private let endsWithStation: Bool
    let screen = TerminalScreen()

    init(
        socket: String,
        on loop: EventLoop,
        timeout: Duration = ControlClient.patience,
        note: String? = nil,
        endsWithStation: Bool = false
    ) {
        (self.socket, self.timeout, self.loop) = (socket, timeout, loop)
        self.endsWithStation = endsWithStation
        var first = WatchState()
        first.note = note
        state = Mutex(first)
    }

    /// Counts of what was seen so far.
    var seen: (readings: Int, lampChanges: Int, motions: Int) {
        state.withLock { ($0.readingCount, $0.lampChangeCount, $0.motionCount) }
    }

    /// Shows the station until `q` is pressed or the task is cancelled.
    func run() async throws {
        screen.enter()
        defer { screen.leave() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.screen.waitForQuit(on: self.loop) }
            group.addTask { try await self.follow() }
            group.addTask { try await self.draw() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Draws anew: the window has another size, or the process goes on after a pause.
    func refresh() { news.raise() }

    private func draw() async throws {
        let isColoured = getenv("NO_COLOR") == nil
        while !Task.isCancelled {
            let known = state.withLock { $0 }
            let moment = known.dated(ScreenTime.now(loop.clock))
            let view = WatchScreen(state: known, moment: moment, size: screen.size)
            screen.draw(view.lines, isColoured: isColoured)
            // A burst of readings is one drawing.
            try await loop.clock.sleep(for: .milliseconds(100))
            _ = try await loop.clock.wait(
                for: news,
                until: loop.clock.now.advanced(by: .milliseconds(900)),
                tolerance: .zero
            )
        }
    }

    private func change(_ body: (inout WatchState) -> Void) {
        state.withLock { body(&$0) }
        news.raise()
    }

    /// Asks and listens; a station that goes away is waited for.
    private func follow() async throws {
        while !Task.isCancelled {
            do {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await self.ask() }
                    group.addTask { try await self.listen() }
                    defer { group.cancelAll() }
                    try await group.next()
                }
            } catch let error as LocalSocketError {
                let failure = ClientFailure.unreachable(for: error, path: socket)
                change { $0.trouble = failure.message + "; trying again" }
                if endsWithStation { throw failure }
            } catch let failure as ClientFailure {
                change { $0.trouble = failure.message }
            } catch let failure as ControlFailure {
                change { $0.trouble = failure.message }
            }
            try await loop.clock.sleep(for: Self.retryInterval)
        }
    }

    private func connect() throws -> ControlClient {
        let connection = try LocalSocket.connect(path: socket, on: loop)
        return ControlClient(
            connection: connection,
            clock: loop.clock,
            path: socket,
            timeout: timeout
        )
    }

    private func ask() async throws {
        let client = try connect()
        defer { client.connection.close() }
        while !Task.isCancelled {
            let status = try await client.ask(GetStatus())
            let moment = ScreenTime.now(loop.clock)
            change { $0.apply(status, at: moment) }
            let devices = try await client.ask(GetDevices())
            change { $0.apply(devices) }
            if screen.size.rows >= 30 {
                let tree = try await client.ask(GetTree())
                change { $0.apply(tree) }
            }
            try await loop.clock.sleep(for: Self.questionInterval)
        }
    }

    private func listen() async throws {
        let client = try connect()
        defer { client.connection.close() }
        let past = try await client.pages { from in
            let question = GetReadings(limit: Self.pastLimit, from: from)
            let page = try await client.ask(question)
            return (page.readings, page.omittedCount, page.next)
        }
        let events = try await client.pages { from in
            let question = GetEvents(limit: WatchState.eventLimit, from: from)
            let page = try await client.ask(question)
            return (page.events, page.omittedCount, page.next)
        }
        change { state in
            state.prepend(past: past.items)
            state.prepend(past: events.items)
        }
        try client.connection.send(ControlCodec.line(AskedQuestion(FollowLive())))
        while !Task.isCancelled, let line = try await client.connection.nextLine() {
            let item = try ControlCodec.message(LiveItem.self, from: line)
            change { $0.apply(item) }
        }
        throw LocalSocketError.closed
    }
}
