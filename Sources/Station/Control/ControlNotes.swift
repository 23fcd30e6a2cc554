import ControlProtocol
import Core
import HardwareIO
import Store

/// Carries out `note`.
struct ControlNotes {
    /// Bytes of a note at most: an event keeps that much of a detail.
    static let textMax = 120
    static let authorMax = 64

    let station: StationContext

    /// Records what a person noticed.
    ///
    /// - Throws: `ControlFailure` `bad-request`.
    func write(_ request: ControlRequest, from peer: PeerCredentials?) async throws {
        guard let text = request.text, (1...Self.textMax).contains(text.utf8.count),
            Self.isPlain(text)
        else {
            throw ControlFailure(
                code: "bad-request",
                message: "text is 1 to \(Self.textMax) bytes of UTF-8 without control characters"
            )
        }
        if let actor = request.actor, actor.count > Self.authorMax || !Self.isPlain(actor) {
            throw ControlFailure(
                code: "bad-request",
                message: "actor is at most \(Self.authorMax) characters, none a control character"
            )
        }
        guard request.time.map({ WallTime(iso8601: $0) != nil }) ?? true else {
            throw ControlFailure(
                code: "bad-request",
                message: "time is ISO 8601, as 2026-11-22T04:15:00Z"
            )
        }
        let author = request.actor ?? peer.map { "user \($0.userID)" }
        let details = [
            Event.Detail("text", text), author.map { Event.Detail("author", $0) },
            request.device.map { Event.Detail("channel", $0) },
            request.time.map { Event.Detail("at", $0) },
        ]
        station.recorder.record(
            Event(
                at: station.clock.now,
                source: "notes",
                kind: .plain(.note),
                severity: .notice,
                details: details.compactMap(\.self)
            )
        )
    }

    private static func isPlain(_ text: String) -> Bool {
        !text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }
}
