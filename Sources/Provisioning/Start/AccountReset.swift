/// `roost-reset-accounts.txt`: the person who has the card becomes the owner of the station.
///
/// The dashboard removes its accounts, once it finds a file of this name in its own folder.
package enum AccountReset {
    package static let name = "roost-reset-accounts.txt"
}
