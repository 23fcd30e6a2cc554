import ControlProtocol

/// `/outbox`: the courier's report without what belongs to its computer.
struct OutboxView: Codable, Sendable {
    let isRunning: Bool
    /// Why the station is not followed, and why cursors are not kept; nil while all is well.
    let stationTrouble: String?
    let cursorTrouble: String?
    /// Why what the owner added could not be read, and which of it is not in use.
    let settingsTrouble: String?
    let leftOut: [CourierReport.LeftOut]
    let isMetered: Bool
    let omittedEventCount: Int
    let targets: [OutboxReport]
    let receivers: [OutboxReport]
    let feeds: [OutboxReport]

    init(_ report: CourierReport?) {
        isRunning = report != nil
        (stationTrouble, cursorTrouble) = (report?.stationTrouble, report?.cursorTrouble)
        (settingsTrouble, leftOut) = (report?.settingsTrouble, report?.leftOut ?? [])
        isMetered = report?.isMetered ?? false
        omittedEventCount = report?.omittedEventCount ?? 0
        (targets, receivers) = (report?.targets ?? [], report?.receivers ?? [])
        feeds = report?.feeds ?? []
    }
}
