import ControlProtocol
import Core

/// Carries out `newStationID`: a station made of another one's card gets an id of its own.
struct ControlStationID: Sendable {
    struct Dependencies: Sendable {
        /// The station's own id; nil before the store is open.
        var current: @Sendable () -> String?
        /// Makes another id and keeps it.
        var renew: @Sendable () async throws -> Void
    }

    let station: StationContext
    let dependencies: Dependencies

    /// Makes another id, and records both.
    ///
    /// - Throws: `ControlFailure` `store` while none is open; `StoreError`.
    func renew(by asker: ControlAsker) async throws {
        guard let before = dependencies.current() else {
            throw ControlFailure(
                code: "store",
                message: "no store is open that could remember it; see `roost status`"
            )
        }
        try await dependencies.renew()
        let now = dependencies.current() ?? before
        station.recorder.record(
            Event(
                at: station.clock.now,
                source: "control",
                kind: .plain(.stationIDRenewed),
                severity: .notice,
                details: [Event.Detail("before", before), Event.Detail("now", now)]
                    + asker.details
            )
        )
    }
}
