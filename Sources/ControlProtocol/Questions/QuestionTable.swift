import FoundationEssentials
import HardwareIO

/// Author of a question: a local process, and the account that it asks for.
package struct QuestionAsker: Sendable {
    package let user: LocalUser
    /// The process, from the kernel; nil in a simulation.
    package let peer: PeerCredentials?
    /// Name of the account, as the line says it; nil for the process itself.
    package let actor: String?

    package init(_ user: LocalUser, peer: PeerCredentials? = nil, actor: String? = nil) {
        self.user = user
        self.peer = peer
        self.actor = actor
    }

    /// Why this user may not ask a question.
    package func refusal(of question: String) -> ControlFailure {
        ControlFailure(code: .forbidden, message: user.refusal(of: question, by: peer))
    }
}

/// The answering end of a local socket: handlers by the names of their questions.
///
/// Checks the version and the rights of each question before its fields.
package struct QuestionTable: Sendable {
    /// The way in which a question is answered.
    package enum Reply: Sendable {
        /// By one line; one that may take minutes ends when its peer leaves.
        case line(mayWait: Bool, @Sendable () async throws -> String)
        /// By as many lines as there are, until the peer leaves.
        case stream(@Sendable (any LineConnection) async throws -> Void)
    }

    private typealias Handler = @Sendable (any Decoder, QuestionAsker) throws -> Reply

    private struct Entry: Sendable {
        let type: any Question.Type
        let reply: Handler
    }

    private let program: String
    private let user: @Sendable (PeerCredentials?) -> LocalUser
    private var entries: [String: Entry] = [:]

    /// - Parameters:
    ///   - program: For messages, as `this courier`.
    ///   - user: Returns the user behind a connection.
    package init(_ program: String, user: @escaping @Sendable (PeerCredentials?) -> LocalUser) {
        self.program = program
        self.user = user
    }

    package init(_ program: String, users: LocalUsers) {
        self.init(program) { users.user($0) }
    }

    /// Names of the questions that have a handler, sorted.
    package var names: [String] { entries.keys.sorted() }

    /// The types of these questions, in the order of their names.
    package var questions: [any Question.Type] { names.compactMap { entries[$0]?.type } }

    /// Sets the handler of a question.
    ///
    /// - Parameters:
    ///   - mayWait: Whether the answer may take minutes, so that it ends when its peer leaves.
    ///   - answer: Throws `ControlFailure` to refuse; any other error ends the connection.
    package mutating func on<Asked: Question>(
        _ type: Asked.Type,
        mayWait: @escaping @Sendable (Asked) -> Bool = { _ in false },
        _ answer: @escaping @Sendable (Asked, QuestionAsker) async throws -> Asked.Answer
    ) {
        add(type) { decoder, asker in
            let question = try Asked(from: decoder)
            try question.check()
            return .line(mayWait: mayWait(question)) {
                try ControlCodec.line(ControlAnswer(.success(await answer(question, asker))))
            }
        }
    }

    /// Sets the handler of a question whose answer is a stream of lines.
    package mutating func onStream<Asked: Question>(
        _ type: Asked.Type,
        _ send: @escaping @Sendable (Asked, QuestionAsker, any LineConnection) async throws -> Void
    ) {
        add(type) { decoder, asker in
            let question = try Asked(from: decoder)
            try question.check()
            return .stream { try await send(question, asker, $0) }
        }
    }

    private mutating func add<Asked: Question>(_ type: Asked.Type, _ reply: @escaping Handler) {
        precondition(entries[type.about.name] == nil, "\(type.about.name) has two handlers")
        entries[type.about.name] = Entry(type: type, reply: reply)
    }

    /// Returns the reply to a line.
    ///
    /// - Throws: `ControlFailure` `bad-request`, `wrong-version` or `forbidden`.
    package func reply(
        to line: String,
        from peer: PeerCredentials? = nil
    ) throws(ControlFailure) -> Reply {
        try ControlCodec.message(from: line) { decoder, data in
            try decoder.decode(Line.self, from: data, configuration: (self, peer)).reply
        }
    }

    /// Returns the one line that answers a line.
    ///
    /// - Throws: `CancellationError`; whatever a handler throws that is no refusal.
    package func answer(_ line: String, from peer: PeerCredentials? = nil) async throws -> String {
        do {
            guard case .line(_, let answer) = try reply(to: line, from: peer) else {
                throw ControlFailure(code: .badRequest, message: "its answer is a stream")
            }
            return try await answer()
        } catch let failure as ControlFailure { return try ControlCodec.line(refusing: failure) }
    }

    /// A line, read once: its name says which type its fields have.
    private struct Line: DecodableWithConfiguration {
        typealias DecodingConfiguration = (table: QuestionTable, peer: PeerCredentials?)
        private enum CodingKeys: CodingKey { case version, command, actor }

        let reply: Reply

        init(from decoder: any Decoder, configuration: DecodingConfiguration) throws {
            let table = configuration.table
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let version = try container.decode(Int.self, forKey: .version)
            guard version == controlProtocolVersion else {
                throw ControlFailure(
                    code: .wrongVersion,
                    message: "\(table.program) speaks version \(controlProtocolVersion), "
                        + "not \(version)"
                )
            }
            let name = try container.decode(String.self, forKey: .command)
            guard let entry = table.entries[name] else {
                throw ControlFailure(
                    code: .badRequest,
                    message: "command is one of " + table.names.joined(separator: ", "),
                    pointer: "/command"
                )
            }
            let asker = QuestionAsker(
                table.user(configuration.peer),
                peer: configuration.peer,
                actor: try container.decodeIfPresent(String.self, forKey: .actor)
            )
            guard entry.type.about.users.contains(asker.user) else { throw asker.refusal(of: name) }
            reply = try entry.reply(decoder, asker)
        }
    }
}

/// The table asked without a socket.
extension QuestionTable: QuestionClient {
    package func exchange(_ line: String, within limit: Duration?) async throws -> String {
        try await answer(line)
    }
}
