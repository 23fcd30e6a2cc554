/// The asking end: a program that answers questions, as its clients reach it.
package protocol QuestionClient: Sendable {
    /// Sends one line, and returns the line that answers it.
    ///
    /// - Parameter limit: How long the answer may take; nil for what is usual.
    /// - Throws: The client's own errors where no answer comes; `CancellationError`.
    func exchange(_ line: String, within limit: Duration?) async throws -> String
}

extension QuestionClient {
    /// Asks one question.
    ///
    /// - Parameters:
    ///   - actor: Name of the account that asks; nil for the process itself.
    ///   - limit: How long the answer may take; nil for what is usual.
    /// - Throws: `ControlFailure` when it is refused; as `exchange` when no answer comes.
    package func ask<Asked: Question>(
        _ question: Asked,
        for actor: String? = nil,
        within limit: Duration? = nil
    ) async throws -> Asked.Answer {
        let line = try ControlCodec.line(AskedQuestion(question, for: actor))
        return try ControlCodec.body(from: try await exchange(line, within: limit))
    }
}
