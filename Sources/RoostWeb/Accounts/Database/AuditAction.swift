import HTTPTypes

/// The kind of action in a line of the audit; the client's catalogues name each.
enum AuditAction: String, Hashable, Sendable, CaseIterable {
    case claim, login, logout, password, account, session, token, role, invitation, signup, reset
    case tokenRemoved = "token-removed"
    case memberRemoved = "member-removed"
    case invitationWithdrawn = "invitation-withdrawn"
    case mode, note, mute, unmute, device, forget, adopt, ignore
    /// Someone looked at pictures; deleted some.
    case pictures
    case picturesDeleted = "pictures-deleted"
    /// Someone watched the live picture.
    case livePicture = "live-picture"
    /// Any other action; its target has the method and the path.
    case change

    /// Derives the action from a route of the station.
    init(_ route: Route) {
        let parts = route.path.split(separator: "/").dropFirst(2)
        self =
            switch (route.method, parts.first ?? "", parts.last ?? "") {
            case (.post, "mode", _): .mode
            case (.post, "notes", "notes"): .note
            case (.post, "mutes", _): .mute
            case (.delete, "mutes", _): .unmute
            case (.post, "devices", _), (.patch, "devices", _): .device
            case (.delete, "devices", _): .forget
            case (.post, "found", "adopt"): .adopt
            case (.post, "found", "ignore"): .ignore
            case (.delete, "records", _), (.post, "records", _): .picturesDeleted
            default: .change
            }
    }
}
