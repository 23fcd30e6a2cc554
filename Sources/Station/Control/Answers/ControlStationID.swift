import ControlProtocol
import Core

/// Carries out `newStationID`: a station made of another one's card gets an id of its own.
struct ControlStationID: Sendable {
    let station: StationContext
    let store: StoreClient

    /// Makes another id, and records both.
    ///
    /// - Throws: `ControlFailure` `store` while none is open; `StoreError`.
    func renew(by asker: ControlAsker) async throws {
        guard let before = store.stationID else {
            throw ControlFailure(
                code: .store,
                message: "no store is open that could remember it; see `roost status`"
            )
        }
        try await store.loadStationID(isNew: true)
        let now = store.stationID ?? before
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
