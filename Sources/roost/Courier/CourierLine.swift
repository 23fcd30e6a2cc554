import ClientSupport
import ControlProtocol
import Core
import Glibc

/// Single questions to the courier, where `roost` answers itself.
struct CourierLine: Sendable {
    private static let patience: Duration = .seconds(5)

    let socket: String

    /// - Parameter named: The socket; nil for the environment's, else the standard one.
    init(_ named: String?) {
        socket =
            named ?? getenv("ROOST_COURIER_SOCKET").map { String(cString: $0) }
            ?? CourierRequest.standardSocket
    }

    /// Asks the courier for the reports of its feeds; nil where none listens.
    ///
    /// - Throws: `ClientFailure` when it is silent, or the user may not ask.
    func feeds() throws -> [OutboxReport]? { try report()?.feeds }

    /// Asks the courier for its report; nil where none listens.
    ///
    /// - Throws: As `feeds()`.
    func report() throws -> CourierReport? {
        let line = SocketLine(socket: socket, program: "roost-courier", patience: Self.patience)
        do {
            return try line.ask(CourierRequest(.status), CourierReport.self)
        } catch let failure as ControlFailure {
            throw ClientFailure(message: failure.message, exitCode: 1)
        }
    }
}
