import ControlProtocol
import Core
import HardwareIO

/// Author of a change: the connected process, and the person that it names.
struct ControlAsker: Sendable {
    /// Characters of a person's name at most.
    static let actorMax = 64

    let peer: PeerCredentials?
    let actor: String?

    /// Checks that a question may name whom it asks for.
    ///
    /// - Throws: `ControlFailure` `bad-request` for a name that is too long or no line of text,
    ///   `forbidden` for a peer that may not name one; `CancellationError`.
    init(_ asker: QuestionAsker, on platform: any Platform) async throws {
        (peer, actor) = (asker.peer, asker.actor)
        guard let actor else { return }
        guard (1...Self.actorMax).contains(actor.count), actor.isOneLine else {
            throw ControlFailure.badRequest(
                "actor is 1 to \(Self.actorMax) characters, none a control character",
                at: "/actor"
            )
        }
        guard let peer else { return }
        guard try await platform.onDisk({ platform.mayNameActor(peer) }) else {
            throw ControlFailure(
                code: .forbidden,
                message: "user \(peer.userID) may not ask for another; that is for root, "
                    + "roost-web and the group roost"
            )
        }
    }

    /// Event details that name the author.
    var details: [Event.Detail] {
        let named = actor.map { [Event.Detail("actor", $0)] } ?? []
        guard let peer else { return named }
        return named + [
            Event.Detail("user", "\(peer.userID)"), Event.Detail("pid", "\(peer.processID)"),
        ]
    }

    /// Short text for the author: a person's name or a user's number.
    var shown: String { actor ?? peer.map { "user \($0.userID)" } ?? "client" }

    /// Whether an event can name the author; a simulation has no peers.
    var isKnown: Bool { peer != nil || actor != nil }

    /// Records what was asked for; a simulation's requests are not recorded.
    func record(
        _ kind: EventKind.Plain,
        _ details: [Event.Detail],
        at now: MonotonicInstant,
        in recorder: Recorder
    ) {
        guard isKnown else { return }
        recorder.record(
            Event(
                at: now,
                source: "control",
                kind: .plain(kind),
                severity: .info,
                details: details + self.details
            )
        )
    }
}
