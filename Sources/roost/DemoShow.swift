import ControlProtocol
import Glibc
import HardwareIO
import LinuxIO
import Readings
import Synchronization

/// Shows what happens on the demo's stage, to a person or to a log.
final class DemoShow: Sendable {
    private let length: Duration?
    private let json: Bool
    private let stage: DemoStage
    private let view = Mutex<DemoView?>(nil)
    private let hasScreen = isatty(1) == 1
    private let paint = Paint.forStandardOutput

    init(length: Duration?, json: Bool, stage: DemoStage) {
        (self.length, self.json, self.stage) = (length, json, stage)
    }

    /// Runs until its time is over.
    func run() async throws {
        let (port, socket) = try await stage.set()
        let clock = stage.loop.clock
        let start = clock.now
        view.withLock { $0 = DemoView(port: port, length: length?.inSeconds) }
        if !json, !hasScreen { Output.line("demo: a simulated SDS011 speaks on \(port)") }
        try await clock.run(until: length.map { start.advanced(by: $0) }) { [self] in
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { try await self.follow(socket) }
                if self.hasScreen, !self.json {
                    group.addTask { try await self.draw(socket, since: start) }
                }
            }
        }
        if json {
            let status = try await ask(socket, .status, StatusReport.self)
            Output.line(try ControlCodec.line(status))
        }
    }

    private func connect(_ socket: String) throws -> ControlClient {
        let connection = try LocalSocket.connect(path: socket, on: stage.loop)
        return ControlClient(connection: connection, clock: stage.loop.clock, path: socket)
    }

    private func ask<Body: Codable & Sendable>(
        _ socket: String,
        _ command: ControlRequest.Command,
        _ type: Body.Type
    ) async throws -> Body {
        let client = try connect(socket)
        defer { client.connection.close() }
        return try await client.ask(ControlRequest(command), type)
    }

    /// Takes the live stream in.
    private func follow(_ socket: String) async throws {
        let client = try connect(socket)
        defer { client.connection.close() }
        // What happened before we came: the node reads its sensor from its first moment on.
        let past = try await client.pages { from in
            let request = ControlRequest(.events).page(from: from)
            let page = try await client.ask(request, EventsReport.self)
            return (page.events, page.omittedCount, page.next)
        }
        for event in past.items { take(LiveItem(event: event)) }
        try client.connection.send(ControlCodec.line(ControlRequest(.live)))
        while !Task.isCancelled, let line = try await client.connection.nextLine() {
            if json { Output.line(line) }
            take(try ControlCodec.message(LiveItem.self, from: line))
        }
        throw stage.failure("the node has ended")
    }

    private func take(_ item: LiveItem) {
        let line = view.withLock { $0?.take(item, paint) }
        if !hasScreen, !json, let line { Output.line(line) }
    }

    /// Draws the screen once a second.
    private func draw(_ socket: String, since start: MonotonicInstant) async throws {
        let client = try connect(socket)
        defer { client.connection.close() }
        Output.write("\u{1B}[2J")
        while !Task.isCancelled {
            let status = try await client.ask(ControlRequest(.status), StatusReport.self)
            let tree = try await client.ask(ControlRequest(.tree), TreeReport.self)
            let devices = try await client.ask(ControlRequest(.devices), DevicesReport.self)
            let elapsed = start.duration(to: client.clock.now).inSeconds
            let lines = view.withLock { view in
                view?.screen(status, tree, devices, elapsed: elapsed, paint) ?? []
            }
            // Each line clears its own rest: nothing flickers.
            Output.write("\u{1B}[H" + lines.map { "\($0)\u{1B}[K\n" }.joined() + "\u{1B}[J")
            try await client.clock.sleep(for: .seconds(1))
        }
    }

    /// The last words and the exit code.
    ///
    /// - Throws: `ClientFailure` when something that a demo shows was not seen.
    func conclude(wasInterrupted: Bool, isClean: Bool) throws {
        guard let view = view.withLock({ $0 }) else {
            if wasInterrupted { return }
            throw stage.failure("nothing was seen")
        }
        if !json { Output.line("demo: \(view.summary)") }
        guard isClean else { throw stage.failure("the node did not stop in order") }
        if wasInterrupted { return }
        let missing = [
            (view.readingCount, "reading"), (view.lampChangeCount, "lamp change"),
            (view.motionCount, "movement"),
        ].filter { $0.0 == 0 }.map(\.1)
        guard missing.isEmpty else {
            let time = length.map { words(seconds: $0.inSeconds) } ?? "this time"
            throw stage.failure(
                "no \(missing.joined(separator: ", no ")) in \(time); try --for 30s"
            )
        }
    }
}
