import HardwareIO

/// A question that one program of the station asks another over a local socket.
///
/// The type names everything about it once: its fields, its answer, the users that may ask it, and
/// the sentence that describes it. Socket, dashboard and command line read that from the type.
package protocol Question: Codable, Sendable {
    associatedtype Answer: Codable & Sendable

    static var about: QuestionFacts { get }

    /// Checks the fields that can be checked without the program that answers.
    ///
    /// - Throws: `ControlFailure` `bad-request`.
    func check() throws(ControlFailure)
}

extension Question {
    package func check() throws(ControlFailure) {}
}

/// The name of a question, the users that may ask it, and what it is for.
package struct QuestionFacts: Sendable {
    /// `command` of the line that asks it.
    package let name: String
    /// Users that may ask it; the kernel says who asks.
    package let users: Set<LocalUser>
    /// One sentence for a person who reads the reference.
    package let summary: String

    package init(_ name: String, for users: Set<LocalUser>, _ summary: String) {
        self.name = name
        self.users = users
        self.summary = summary
    }
}

/// A question on its way: one line of JSON, at most 64 KiB, with its fields beside these.
package struct AskedQuestion<Asked: Question>: Codable, Sendable {
    /// Protocol version of the client.
    package let version: Int
    /// Name of the account that asks, 1…64 characters; nil for the process itself.
    package let actor: String?
    package let question: Asked

    private enum CodingKeys: CodingKey { case version, command, actor }

    package init(_ question: Asked, for actor: String? = nil) {
        (version, self.actor, self.question) = (controlProtocolVersion, actor, question)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        version = try container.decode(Int.self, forKey: .version)
        actor = try container.decodeIfPresent(String.self, forKey: .actor)
        question = try Asked(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(version, forKey: .version)
        try container.encode(Asked.about.name, forKey: .command)
        try container.encodeIfPresent(actor, forKey: .actor)
        try question.encode(to: encoder)
    }
}
