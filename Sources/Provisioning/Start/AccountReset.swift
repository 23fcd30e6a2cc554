/// `roost-reset-accounts.txt`: the person who has the card becomes the owner of the station.
///
/// The dashboard removes its accounts, once it finds a file of this name in its own folder.
package enum AccountReset {
    package static let name = "roost-reset-accounts.txt"

    /// What is said of it on the card, once it is done.
    package static let noteOnCard =
        "\(name): all accounts of the dashboard are removed, and this file. The page "
        + "makes a new owner: by the code of \(ClaimCode.name), by the button, or by "
        + "`sudo roost claim` there."
}
