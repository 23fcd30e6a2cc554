import ControlProtocol
import Core
import DequeModule
import Logging
import Runtime
import Synchronization

/// Sends the courier's events (held targets, refused samples, its own start) to the station.
///
/// While the station does not answer, `limit` events wait; further ones are counted and logged.
final class StationEvents: Child {
    static let limit = 64

    private struct State {
        var waiting: Deque<(kind: String, details: [String: String])> = []
        var omittedCount = 0
    }

    private let link: any QuestionClient
    private let clock: any NodeClock
    private let logger: Logger
    private let state = Mutex(State())
    private let isThere = Signal()

    init(_ link: any QuestionClient, clock: any NodeClock, logger: Logger) {
        (self.link, self.clock, self.logger) = (link, clock, logger)
    }

    /// Number of events that were not recorded.
    var omittedCount: Int { state.withLock { $0.omittedCount } }

    /// Queues an event, which is recorded as soon as the station answers.
    func report(_ kind: String, _ details: [String: String]) {
        var metadata: Logger.Metadata = [:]
        for (key, value) in details { metadata[key] = "\(value)" }
        logger.notice("\(kind)", metadata: metadata)
        state.withLock { state in
            // Notices that went out must not keep a fault of a target away.
            guard state.waiting.count < (kind == "notice sent" ? Self.limit / 2 : Self.limit) else {
                state.omittedCount += 1
                return
            }
            state.waiting.append((kind, details.mapValues(Self.cut)))
        }
        isThere.raise()
    }

    /// Tries again, when the station answers.
    func wake() { isThere.raise() }

    func run() async throws {
        while !Task.isCancelled {
            try await drain()
            _ = try await clock.wait(for: isThere, until: nil, tolerance: .zero)
        }
    }

    /// Sends the waiting events while the station answers.
    func drain() async throws {
        while let (kind, details) = state.withLock({ $0.waiting.first }) {
            do {
                let report = try await link.ask(RecordCourierEvent(kind, details))
                if !report.isKept { state.withLock { $0.omittedCount += 1 } }
            } catch let failure as ControlFailure {
                state.withLock { $0.omittedCount += 1 }
                let metadata: Logger.Metadata = ["kind": "\(kind)", "why": "\(failure.message)"]
                logger.error("event was refused", metadata: metadata)
            } catch is StationDown {
                return  // It waits until the station answers.
            }
            state.withLock { _ = $0.waiting.popFirst() }
        }
    }

    /// Cuts a text to the 120 bytes that the station keeps; an empty text becomes a dash.
    private static func cut(_ text: String) -> String {
        let line = ForeignText.line(text, byteMax: 120)
        return line.isEmpty ? "-" : line
    }
}

extension StationEvents {
    /// Records an event that the owner should know about a target or receiver.
    func report(_ target: String, _ notice: DeliveryNotice) {
        let kind: String
        var details = ["target": target]
        switch notice {
        case .held(let reason): (kind, details["why"]) = ("outbox held", reason.words)
        case .resumed: kind = "outbox resumed"
        case .refused(let item, let samples, let reason):
            (kind, details["from"]) = ("outbox refused", "\(item)")
            (details["samples"], details["why"]) = (samples.map(String.init), reason.words)
        case .setAside(let item, let reason):
            (kind, details["from"]) = ("outbox refused", "\(item)")
            details["why"] = "\(reason.words); is tried again"
        case .expired(let item, let samples):
            (kind, details["from"]) = ("outbox expired", "\(item)")
            details["samples"] = "\(samples)"
        case .drained(let count, let items):
            let text = items.map { "\(count) \($0)" } ?? "\(count)"
            (kind, details["samples"]) = ("outbox drained", text)
        case .cursorLost(let why):
            (kind, details["why"]) = ("outbox resumed", "\(why); begins anew")
        case .sent(let key): (kind, details["key"]) = ("notice sent", "\(key)")
        }
        report(kind, details)
    }
}
