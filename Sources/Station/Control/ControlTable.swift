import ControlProtocol
import Store

/// The table of the control socket's questions in the making.
struct ControlTable {
    var questions: QuestionTable
    private let platform: any Platform

    init(_ rights: ControlRights, _ platform: any Platform) {
        questions = QuestionTable("this node") { rights.user($0) }
        self.platform = platform
    }

    /// Sets the handler of a question whose author does not matter.
    mutating func on<Asked: Question>(
        _ type: Asked.Type,
        _ answer: @escaping @Sendable (Asked) async throws -> Asked.Answer
    ) {
        questions.on(type) { question, _ in
            try await Self.answering { try await answer(question) }
        }
    }

    /// Sets the handler of a question whose author is recorded.
    mutating func on<Asked: Question>(
        _ type: Asked.Type,
        _ answer: @escaping @Sendable (Asked, ControlAsker) async throws -> Asked.Answer
    ) {
        let platform = platform
        questions.on(type) { question, asker in
            let author = try await ControlAsker(asker, on: platform)
            return try await Self.answering { try await answer(question, author) }
        }
    }

    /// Turns an error of the store into a refusal.
    static func answering<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        do { return try await body() } catch let error as StoreError {
            throw ControlFailure(code: .store, message: "the store: \(error)")
        }
    }
}
