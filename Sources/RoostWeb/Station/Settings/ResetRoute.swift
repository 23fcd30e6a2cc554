import ControlProtocol
import FileIO
import Glibc
import HTTPTypes

/// Gives a station of an image away: asks its root service to remove what the owner has left.
struct ResetRoute: Sendable {
    private struct Form: Decodable {
        let password: String
        /// Whether what was measured goes, too.
        let history: Bool
    }

    let accounts: Accounts
    /// Root folder of the system; empty for this machine.
    let root: String

    var route: Route {
        Route(.post, "/api/v1/reset", .owner) { request in
            let form = try request.decoded(Form.self)
            try await accounts.demand(form.password, of: request)
            try begin(history: form.history)
            return .done()
        }
        .about(
            "Removes people, settings, secrets and pictures, and restarts an image.",
            takes: Form.self,
            answers: .nothing
        )
    }

    private func begin(history: Bool) throws(Problem) {
        guard access("\(root)/usr/lib/roost/image.json", F_OK) == 0 else {
            throw Problem(.notOffered, "on this station type: sudo roost reset")
        }
        do {
            let text = history ? "history\n" : "\n"
            let path = "\(root)/run/roost-web/reset-wanted"
            try Files.replace(path, with: Array(text.utf8), mode: 0o644)
        } catch { throw Problem(.store, "the reset cannot be asked for: \(error)") }
    }
}
