import HTTPTypes
import Logging
import NIOCore

/// The accounts of a station as the server needs them: routes, and who stands at the gate.
package struct AccountDoor: Sendable {
    package let routes: [Route]
    package let doorman: any Gate.Doorman
    /// Nil when they cannot be read.
    package let accounts: Accounts?

    /// Opens the accounts; when that fails, the pages are there and say why.
    ///
    /// - Parameters:
    ///   - folder: Of web.db.
    ///   - house: The station.
    ///   - loop: On which delays pass.
    ///   - logger: For the failure, and for what happens later.
    package init(folder: String, of house: AccountStation, on loop: any EventLoop, logger: Logger) {
        do {
            let database = try WebDatabase(folder: folder)
            let accounts = try Accounts(database, of: house, logger: logger) { seconds in
                try? await loop.scheduleTask(in: .seconds(seconds)) {}.futureResult.get()
            }
            self.accounts = accounts
            routes = AccountRoutes.all(accounts)
            doorman = AccountDoorman(accounts)
        } catch {
            logger.critical("\(error)")
            let words = (error as? WebDatabaseError)?.description ?? "\(error)"
            accounts = nil
            doorman = ClosedDoorman(words)
            let cookie = SessionCookie(station: house.name)
            routes = [
                // `/me` is asked first: it says what is wrong.
                Route(.get, "/api/v1/me", .viewer) { _ in throw Problem(.store, words) },
                // No session counts now; the browser forgets its own.
                Route(.post, "/api/v1/logout", .anyone, body: .form) { request in
                    .done(clearing: cookie.over(request.peer))
                },
            ]
        }
    }
}
