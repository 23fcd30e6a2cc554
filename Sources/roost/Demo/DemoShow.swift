import ClientSupport
import ControlProtocol
import Core
import Glibc
import HardwareIO
import LinuxIO
import Synchronization

/// The first line of `--web --json`.
private struct DemoAddress: Codable {
    let dashboard: String
}

/// Shows what happens on the demo's stage, to a person or to a log.
final class DemoShow: Sendable {
    private let length: Duration?
    private let json: Bool
    private let hasWeb: Bool
    private let stage: DemoStage
    private let seen = Mutex<(state: WatchState, port: String)?>(nil)
    private let watch = Mutex<WatchShow?>(nil)
    private let hasScreen = TerminalScreen.isUsable
    private let paint = Paint.forStandardOutput

    init(length: Duration?, json: Bool, hasWeb: Bool, stage: DemoStage) {
        (self.length, self.json, self.hasWeb, self.stage) = (length, json, hasWeb, stage)
    }

    /// Runs until its time is over, a key or a signal ends it.
    ///
    /// - Returns: Whether a key or a signal ended it.
    func run(_ signals: SignalMonitor) async throws -> Bool {
        // A slow card takes seconds for the store: a person is not to wait before an empty screen.
        if !json { Output.line("demo: starts a station\(hasWeb ? " and its dashboard" : "")") }
        let (port, socket) = try await stage.set()
        let address = hasWeb ? try await stage.openWeb() : nil
        let clock = stage.loop.clock
        let end = length.map { clock.now.advanced(by: $0) }
        seen.withLock { $0 = (WatchState(), port) }
        let isOver = Mutex(false)
        if hasScreen, !json {
            try await clock.run(until: end) {
                try await self.show(socket, port, address).runUntilSignal(signals)
                isOver.withLock { $0 = true }
            }
            return isOver.withLock { $0 }
        }
        if !json { Output.line("demo: a simulated SDS011 speaks on \(port)") }
        if let address {
            Output.line(
                json
                    ? try ControlCodec.line(DemoAddress(dashboard: address))
                    : "demo: the dashboard is at \(address)"
            )
        }
        try await clock.run(until: end) {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await signals.nextEnd()
                    return true
                }
                group.addTask {
                    try await self.follow(socket)
                    return false
                }
                defer { group.cancelAll() }
                if try await group.next() ?? false { isOver.withLock { $0 = true } }
            }
        }
        if json, !isOver.withLock({ $0 }) {
            let client = try connect(socket)
            defer { client.connection.close() }
            let status = try await client.ask(GetStatus())
            Output.line(try ControlCodec.line(status))
        }
        return isOver.withLock { $0 }
    }

    private func show(_ socket: String, _ port: String, _ address: String?) -> WatchShow {
        let rest = length.map { "ends after \(durationText(seconds: $0.inSeconds))" }
        let show = WatchShow(
            socket: socket,
            on: stage.loop,
            note: (address.map { "dashboard: \($0)" }
                ?? "demo: simulated SDS011 on \(port), simulated pins")
                + (rest.map { "; \($0)" } ?? ""),
            endsWithStation: true
        )
        watch.withLock { $0 = show }
        return show
    }

    /// Restores the terminal on every way out.
    func leave() { watch.withLock { $0 }?.screen.leave() }

    private func connect(_ socket: String) throws -> ControlClient {
        let connection = try LocalSocket.connect(path: socket, on: stage.loop)
        return ControlClient(connection: connection, clock: stage.loop.clock, path: socket)
    }

    /// Reads the live stream.
    private func follow(_ socket: String) async throws {
        let client = try connect(socket)
        defer { client.connection.close() }
        // Events from before the connection: the node reads its sensor from its first moment on.
        let past = try await client.pages { from in
            let page = try await client.ask(GetEvents(from: from))
            return (page.events, page.omittedCount, page.next)
        }
        for event in past.items { apply(LiveItem(event: event)) }
        try client.connection.send(ControlCodec.line(AskedQuestion(FollowLive())))
        while !Task.isCancelled, let line = try await client.connection.nextLine() {
            if json { Output.line(line) }
            apply(try ControlCodec.message(LiveItem.self, from: line))
        }
        throw stage.failure("the node has ended")
    }

    private func apply(_ item: LiveItem) {
        let count = seen.withLock { seen -> Int in
            seen?.state.apply(item)
            return seen?.state.readingCount ?? 0
        }
        guard !json else { return }
        let moment = ScreenTime.now(stage.loop.clock)
        if let event = item.event { Output.line(moment.text(event, paint)) }
        // A log wants to know that it goes on, not every second.
        if let reading = item.reading, count <= 2 || count % 10 < 2 {
            Output.line(moment.text(reading))
        }
    }

    /// The last line and the exit code.
    ///
    /// - Throws: `ClientFailure` when something that a demo shows was not seen.
    func conclude(wasInterrupted: Bool, isClean: Bool) throws {
        guard let state = seen.withLock({ $0?.state }) else {
            if wasInterrupted { return }
            throw stage.failure("nothing was seen")
        }
        let own = (state.readingCount, state.lampChangeCount, state.motionCount)
        let (readings, lampChanges, motions) = watch.withLock { $0 }?.seen ?? own
        if !json {
            Output.line(
                "demo: \(readings) readings, \(lampChanges) lamp changes, "
                    + "\(motions) movements"
            )
        }
        guard isClean else { throw stage.failure("the node did not stop in order") }
        if wasInterrupted { return }
        let missing = [
            (readings, "reading"), (lampChanges, "lamp change"),
            (motions, "movement"),
        ].filter { $0.0 == 0 }.map(\.1)
        guard missing.isEmpty else {
            let time = length.map { durationText(seconds: $0.inSeconds) } ?? "this time"
            throw stage.failure(
                "no \(missing.joined(separator: ", no ")) in \(time); try --for 30s"
            )
        }
    }
}
