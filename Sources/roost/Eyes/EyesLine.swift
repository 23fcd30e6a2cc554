import ControlProtocol
import Core

/// Single questions to `roost-eyes`.
struct EyesLine: Sendable {
    /// Deleting writes over each picture: seconds for hundreds of them.
    private static let patience: Duration = .seconds(60)

    var socket = EyesRequest.standardSocket
    var patience = Self.patience

    /// Asks one question.
    ///
    /// - Returns: Nil where no `roost-eyes` listens.
    /// - Throws: `ControlFailure` when it refuses; `ClientFailure` when it is silent, or the user
    ///   may not ask.
    func ask<Body: Codable & Sendable>(
        _ request: EyesRequest,
        _ type: Body.Type
    ) throws -> Body? {
        try SocketLine(socket: socket, program: "roost-eyes", patience: patience)
            .ask(request, type)
    }

    /// How the camera is; nil where none runs, and where it does not say.
    func report() -> EyesReport? {
        (try? ask(EyesRequest(.status), EyesReport.self)) ?? nil
    }
}
