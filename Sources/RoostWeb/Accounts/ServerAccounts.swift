import ControlProtocol
import HTTPTypes
import Logging
import NIOCore

/// The accounts of a station for the server: routes, and the gate's authenticator.
package struct ServerAccounts: Sendable {
    package let routes: [Route]
    package let authenticator: any Gate.Authenticator
    /// The accounts; nil when they cannot be read.
    package let accounts: Accounts?

    /// Opens the accounts; when that fails, the pages are there and say why.
    ///
    /// - Parameters:
    ///   - logger: For the failure, and for what happens later.
    package init(
        folder: String,
        of accountStation: AccountStation,
        on loop: any EventLoop,
        logger: Logger
    ) {
        do {
            let database = try WebDatabase(folder: folder)
            if database.isRestored { try Self.report(database, logger) }
            let accounts = try Accounts(database, of: accountStation, logger: logger) { seconds in
                try? await loop.scheduleTask(in: .seconds(seconds)) {}.futureResult.get()
            }
            self.accounts = accounts
            routes = AccountRoutes.all(accounts)
            authenticator = CookieAuthenticator(accounts)
        } catch {
            logger.critical("\(error)")
            let words = (error as? WebDatabaseError)?.description ?? "\(error)"
            accounts = nil
            authenticator = ClosedAuthenticator(words)
            let cookie = SessionCookie(station: accountStation.name)
            routes = [
                // `/me` is asked first: it says what is wrong.
                Route(.get, "/api/v1/me", .viewer) { _ in throw Problem(.store, words) }
                    .about("Who asks; the first request of every page.", answers: MeView.self),
                // Without accounts no session is valid; the browser forgets its own.
                Route(.post, "/api/v1/logout", .anyone) { request in
                    .done(clearing: cookie.over(request.peer))
                }
                .about("Ends this session.", takes: JSONBody.Empty.self, answers: .nothing),
            ]
        }
    }

    /// Says in the log and in the audit that accounts of before an update count again.
    private static func report(_ database: WebDatabase, _ logger: Logger) throws {
        logger.warning(
            """
            \(database.path) was written by a newer version: the accounts of before its first \
            start count again, without what was revoked since; the others are in \
            \(database.path).newer
            """
        )
        let record = AuditRecord(
            time: WebClock.system.seconds(),
            actor: "roost-web",
            action: .change,
            target: "accounts of before the update; the newer ones are in web.db.newer",
            address: ""
        )
        try database.runNow { try AuditTable(connection: $0).add(record) }
    }
}
