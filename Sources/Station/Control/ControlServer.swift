import ControlProtocol
import Runtime

/// Serves the control socket.
///
/// Every process that may open the socket may ask and command: its file mode is the access control,
/// and each change is recorded with its user. Each question names the users that may ask it.
struct ControlServer: Child {
    let path: String
    let questions: QuestionTable
    let platform: any Platform

    func run() async throws {
        let server = LineServer(questions, clock: platform.clock)
        try await server.run(try await platform.listen(path))
    }
}
