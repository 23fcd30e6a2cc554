import ControlProtocol
import Core
import Logging

/// Functions of the station that accounts need.
package struct AccountStation: Sendable {
    package let name: String
    /// Seconds since 1970, if the station trusts them; nil if not, or if it does not answer.
    var trustedDate: @Sendable () async -> Int64? = { nil }
    /// Networks whose addresses count as near the station, for a claim window after power-on.
    var network = DirectNetwork()
    /// The claim window: whether the station may be claimed without a code, and why.
    var window: @Sendable () async -> ClaimWindowReport = { .closed }
    /// Closes that window and names the new owner.
    var closeWindow: @Sendable (_ owner: String) async -> Void = { _ in }

    package init(name: String) { self.name = name }

    /// Asks a station; one that does not answer has no trusted date and no window.
    package init(name: String, _ client: StationClient?, logger: Logger) {
        self.name = name
        guard let client else { return }
        trustedDate = {
            do {
                let report = try await client.ask(GetClock())
                guard report.isSure,
                    let time = report.time.flatMap({ WallTime(iso8601: $0) })
                else { return nil }
                return time.nanoseconds / 1_000_000_000
            } catch {
                logger.info("sessions age without the station's clock: \(error)")
                return nil
            }
        }
        window = {
            do {
                return try await client.ask(UseClaimWindow())
            } catch {
                logger.info("the station does not say whether it may be claimed: \(error)")
                return .closed
            }
        }
        closeWindow = { owner in
            let question = UseClaimWindow(closing: true)
            do {
                _ = try await client.ask(question, for: String(owner.prefix(64)))
            } catch {
                logger.notice("the station was not told that it is claimed: \(error)")
            }
        }
    }
}
