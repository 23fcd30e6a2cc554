import ControlProtocol
import HTTPTypes
import NIOCore
import NIOPosix

/// Asks a station over its control socket, on NIO's loop.
package struct StationClient: Sendable {
    /// Time limit of an answer; a station that needs longer hangs or is stopped.
    package static let patience = TimeAmount.seconds(3)
    /// Bytes of an answer at most; a station's lines have 256 KiB, a history's tail is in pages.
    static let lineMax = 8 << 20

    package let path: String
    private let loop: any EventLoop
    private let silence = StationSilence()
    /// Bytes of a request at most: the station reads no longer line.
    static let requestMax = 64 << 10

    package init(path: String, on loop: any EventLoop) { (self.path, self.loop) = (path, loop) }

    /// Asks one question.
    ///
    /// - Throws: `ControlFailure` when the station refuses; `Problem` `station-down` when it does
    ///   not answer.
    package func ask<Body: Codable & Sendable>(
        _ request: ControlRequest,
        _ type: Body.Type = Body.self
    ) async throws -> Body {
        try Self.body(try await exchange(try ControlCodec.line(request)))
    }

    /// Sends one line.
    ///
    /// - Parameters:
    ///   - patience: How long the answer may take. Past `StationClient.patience` a late answer is
    ///     the question's own slowness: later questions are not held back.
    /// - Returns: The line that answers it.
    /// - Throws: `Problem`.
    func exchange(
        _ line: String,
        within patience: TimeAmount = Self.patience
    ) async throws -> String {
        guard line.utf8.count < Self.requestMax else {
            throw Problem(.tooLarge, "the station reads at most 64 KiB at once, quotes escaped")
        }
        let asked = NIODeadline.now()
        guard !silence.isPausing(at: asked) else { throw Problem.stationHung(path) }
        let text: String
        do {
            text = try await withLines(within: patience) { lines, send in
                try await send(line)
                guard let text = try await lines.next() else {
                    throw Problem.stationDown(path, "it closed the connection")
                }
                return text
            }
        } catch let problem as Problem where problem.kind == .stationDown {
            let now = NIODeadline.now()
            let isHung = now - asked >= patience - .milliseconds(50)
            if isHung && patience > Self.patience {
                throw Problem.tooSlow(seconds: patience.nanoseconds / 1_000_000_000)
            }
            silence.record(isHung ? .hung : .down, asked: asked, at: now)
            throw isHung ? Problem.stationHung(path) : problem
        }
        silence.answered()
        return text
    }

    /// The kind and start of the station's silence; nil while it answers.
    package var absence: (kind: StationSilence.Absence, seconds: Double)? {
        silence.absence(at: .now())
    }

    /// Follows the station's live feed until it ends or the task is cancelled.
    package func live(_ take: @escaping @Sendable (LiveItem) async -> Void) async throws {
        let line = try ControlCodec.line(ControlRequest(.live))
        try await withLines(within: nil) { lines, send in
            try await send(line)
            while let text = try await lines.next() {
                silence.answered()
                await take(try ControlCodec.message(LiveItem.self, from: text))
            }
        }
    }

    private static func body<Body: Codable & Sendable>(_ text: String) throws -> Body {
        let answer = try ControlCodec.message(ControlAnswer<Body>.self, from: text)
        if let error = answer.error { throw error }
        guard let body = answer.body else {
            throw ControlFailure(code: "bad-answer", message: "the station sent an empty answer")
        }
        return body
    }

    private func withLines<Value: Sendable>(
        within patience: TimeAmount?,
        _ body: (inout Lines, (String) async throws -> Void) async throws -> Value
    ) async throws -> Value {
        typealias Wire = NIOAsyncChannel<ByteBuffer, ByteBuffer>
        let wire: Wire
        do {
            wire = try await ClientBootstrap(group: loop)
                .connectTimeout(Self.patience)
                .connect(unixDomainSocketPath: path) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try Wire(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            throw Problem.stationDown(path, "\(error)")
        }
        let channel = wire.channel
        let limit = patience.map { loop.scheduleTask(in: $0) { channel.close(promise: nil) } }
        defer { limit?.cancel() }
        return try await wire.executeThenClose { inbound, outbound in
            var lines = Lines(inbound)
            return try await body(&lines) { line in
                do {
                    try await outbound.write(ByteBuffer(string: line + "\n"))
                } catch { throw Problem.stationDown(path, "it closed the connection") }
            }
        }
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

extension Problem {
    static func stationDown(_ path: String, _ why: String) -> Problem {
        Problem(
            .stationDown,
            "no station answers at \(path) (\(why)); see `systemctl status roostd`",
            headers: [.retryAfter: "5"]
        )
    }

    static func stationHung(_ path: String) -> Problem {
        Problem(
            .stationDown,
            "the station at \(path) takes connections and does not answer: it is stopped or hangs; "
                + "see `journalctl -u roostd`, then: sudo systemctl restart roostd",
            headers: [.retryAfter: "15"]
        )
    }

    static func tooSlow(seconds: Int64) -> Problem {
        Problem(.busy, "no answer within \(seconds) s; the command of the same name waits longer")
    }

    /// Converts a station's refusal to a problem.
    package init(_ failure: ControlFailure) {
        let kind: Kind =
            switch failure.code {
            case "bad-request", "unknown-mode": .badRequest
            case "unknown-setting": .unknownField
            case "changed": .precondition
            case "no-store", "no-receiver": .notOffered
            case "unknown-device", "not-muted", "unknown-alert", "unknown-rule", "not-silenced",
                "unknown-target":
                .notFound
            case "not-allowed": .forbidden
            case "configured": .conflict
            case "store", "no-clock": .store
            case "too-many", "idle": .busy
            default: .internal
            }
        let places = failure.pointer.map { [Place(pointer: $0, detail: failure.message)] }
        self.init(kind, failure.message, places: places ?? [])
    }
}
