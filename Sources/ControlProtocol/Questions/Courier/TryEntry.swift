import HardwareIO

/// Tries the way to a target or receiver, step by step, without data of the station.
package struct TryEntry: Question {
    package typealias Answer = EntryTrialReport
    package static let about = QuestionFacts(
        "try-entry",
        for: .peopleAndDashboard,
        "Tries the way to a target or receiver: name, connection, certificate, log-in."
    )

    package let target: String
    /// The list that a new entry is for; nil tries the entry of this id as it is configured.
    package var section: EntrySection?
    /// Options of a new or changed entry, as in `configure-entry`.
    package var entry: String?
    /// Secrets, as in `configure-entry`.
    package var secrets: [String: String]?
    /// Whether a receiver is sent a message that is marked as a test.
    package var sends: Bool?

    package init(_ target: String, sends: Bool? = nil) {
        (self.target, self.sends) = (target, sends)
    }

    package func check() throws(ControlFailure) {
        guard (section == nil) != (entry == nil) else { return }
        throw .badRequest("section and entry are given together", at: "/entry")
    }
}

/// The answer to `try-entry`.
package struct EntryTrialReport: Codable, Hashable, Sendable {
    /// One step of the way, in its order.
    package struct Step: Codable, Hashable, Sendable {
        package enum Name: String, Codable, Sendable, CaseIterable {
            /// The options and secrets are there.
            case settings
            /// The server's name is known.
            case name
            case connection
            case certificate
            /// The server answers as one of its kind does, and accepts the log-in.
            case login
            /// The test message arrived.
            case message
        }

        package enum State: String, Codable, Sendable, CaseIterable {
            case done, failed, skipped
        }

        package let name: Name
        package let state: State
        /// Why it failed, or what it does not prove; nil where nothing is to say.
        package var sentence: String?

        package init(_ name: Name, _ state: State, _ sentence: String? = nil) {
            (self.name, self.state, self.sentence) = (name, state, sentence)
        }
    }

    package let id: String
    /// Origin of the server, such as `https://example.org`; nil before it is known.
    package let server: String?
    package let isReached: Bool
    package let steps: [Step]
    package let milliseconds: Int

    package init(id: String, server: String?, steps: [Step], milliseconds: Int) {
        (self.id, self.server, self.steps) = (id, server, steps)
        self.milliseconds = milliseconds
        isReached = !steps.contains { $0.state == .failed }
    }
}
