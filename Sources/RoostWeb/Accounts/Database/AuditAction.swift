/// The kind of action in a line of the audit; the client's catalogues name each.
enum AuditAction: String, Hashable, Sendable, CaseIterable {
    case claim, login, logout, password, account, session, token, role, invitation, signup, reset
    case backup, restore
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
}
