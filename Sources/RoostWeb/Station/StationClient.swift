import ControlProtocol
import HTTPTypes
import NIOCore
import NIOPosix

/// Client of a program's socket on NIO's loop: of the station, or of one beside it.
package struct StationClient: QuestionClient {
    /// Time limit of an answer of a station; one that needs longer hangs or is stopped.
    static let patience = Duration.seconds(3)
    /// Bytes of an answer at most; a station's lines have 256 KiB, a history's tail is in pages.
    static let lineMax = 8 << 20

    /// Bytes of a line to a station at most: it reads no longer one.
    static let requestMax = 64 << 10

    package let path: String
    /// The program for messages, as `station`, and its unit.
    private let program: (name: String, unit: String)
    private let loop: any EventLoop
    private let patience: Duration
    private let silence = StationSilence()

    package init(
        path: String,
        on loop: any EventLoop,
        of program: (name: String, unit: String) = ("station", "roostd"),
        patience: Duration = Self.patience
    ) {
        self.path = path
        self.loop = loop
        self.patience = patience
        self.program = program
    }

    /// Sends one line.
    ///
    /// - Parameters:
    ///   - limit: How long the answer may take. Past the client's own patience a late answer is the
    ///     question's own slowness: later questions are not held back.
    /// - Returns: The line that answers it.
    /// - Throws: `Problem`.
    package func exchange(_ line: String, within limit: Duration?) async throws -> String {
        let limit = limit ?? patience
        guard line.utf8.count < Self.requestMax else {
            throw Problem(.tooLarge, "the station reads at most 64 KiB at once, quotes escaped")
        }
        let asked = NIODeadline.now()
        guard !silence.isPausing(at: asked) else { throw hung }
        let text: String
        do {
            text = try await withLines(within: limit) { lines, send in
                try await send(line)
                guard let text = try await lines.next() else {
                    throw down("it closed the connection")
                }
                return text
            }
        } catch let problem as Problem where problem.kind == .stationDown {
            let now = NIODeadline.now()
            let isHung = now - asked >= TimeAmount(limit) - .milliseconds(50)
            if isHung && limit > patience {
                throw Problem.tooSlow(seconds: limit.components.seconds)
            }
            silence.record(isHung ? .hung : .down, asked: asked, at: now)
            throw isHung ? hung : problem
        }
        silence.answered()
        return text
    }

    /// The kind and start of the station's silence; nil while it answers.
    package var absence: (kind: StationSilence.Absence, seconds: Double)? {
        silence.absence(at: .now())
    }

    /// Follows the station's live stream until it ends or the task is cancelled.
    package func live(_ take: @escaping @Sendable (LiveItem) async -> Void) async throws {
        let line = try ControlCodec.line(AskedQuestion(FollowLive()))
        try await withLines(within: nil) { lines, send in
            try await send(line)
            while let text = try await lines.next() {
                silence.answered()
                await take(try ControlCodec.message(LiveItem.self, from: text))
            }
        }
    }

    private func withLines<Value: Sendable>(
        within limit: Duration?,
        _ body: (inout Lines, (String) async throws -> Void) async throws -> Value
    ) async throws -> Value {
        typealias Wire = NIOAsyncChannel<ByteBuffer, ByteBuffer>
        let wire: Wire
        do {
            wire = try await ClientBootstrap(group: loop)
                .connectTimeout(TimeAmount(patience))
                .connect(unixDomainSocketPath: path) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try Wire(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            throw down("\(error)")
        }
        let channel = wire.channel
        let closing = limit.map {
            loop.scheduleTask(in: TimeAmount($0)) { channel.close(promise: nil) }
        }
        defer { closing?.cancel() }
        return try await wire.executeThenClose { inbound, outbound in
            var lines = Lines(inbound)
            return try await body(&lines) { line in
                do {
                    try await outbound.write(ByteBuffer(string: line + "\n"))
                } catch { throw down("it closed the connection") }
            }
        }
    }

    private func down(_ why: String) -> Problem {
        Problem(
            .stationDown,
            "no \(program.name) answers at \(path) (\(why)); "
                + "see `systemctl status \(program.unit)`",
            headers: [.retryAfter: "5"]
        )
    }

    private var hung: Problem {
        Problem(
            .stationDown,
            "the \(program.name) at \(path) takes connections and does not answer: it is stopped "
                + "or hangs; see `journalctl -u \(program.unit)`, then: "
                + "sudo systemctl restart \(program.unit)",
            headers: [.retryAfter: "15"]
        )
    }

    /// The lines of a connection.
    private struct Lines {
        private var parts: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        private var waiting: [UInt8] = []
        /// Bytes of `waiting` that have no newline.
        private var searched = 0

        init(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>) {
            parts = inbound.makeAsyncIterator()
        }

        /// The next line without its newline; nil at the end.
        mutating func next() async throws -> String? {
            while true {
                if let end = waiting[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: waiting[..<end], as: UTF8.self)
                    waiting.removeSubrange(...end)
                    searched = 0
                    return line
                }
                searched = waiting.count
                guard searched <= StationClient.lineMax,
                    let part = try await parts.next(isolation: #isolation)
                else { return nil }
                waiting += part.readableBytesView
            }
        }
    }
}

extension QuestionClient {
    /// Asks one question; nil while its program does not run, which is no fault.
    ///
    /// - Throws: `ControlFailure`; `Problem`.
    func askIfRunning<Asked: Question>(
        _ question: Asked,
        within limit: Duration? = nil
    ) async throws -> Asked.Answer? {
        do { return try await ask(question, within: limit) } catch let problem as Problem
            where problem.kind == .stationDown
        { return nil }
    }
}

extension Optional where Wrapped == any QuestionClient {
    /// Returns the courier; nil is that of a card without its station.
    ///
    /// - Throws: `Problem` `not-offered`.
    func demand() throws(Problem) -> any QuestionClient {
        guard let self else {
            throw Problem(.notOffered, "a card's history has no courier that could send")
        }
        return self
    }
}

extension Problem {
    static func tooSlow(seconds: Int64) -> Problem {
        Problem(.busy, "no answer within \(seconds) s; the command of the same name waits longer")
    }

    /// Converts a station's refusal to a problem.
    package init(_ failure: ControlFailure) {
        let places = failure.pointer.map { [Place(pointer: $0, detail: failure.message)] }
        self.init(failure.code, failure.message, places: places ?? [], failure.reason)
    }
}
