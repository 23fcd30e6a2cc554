/// What a person asks for by holding a button.
package enum ButtonHold: Hashable, Sendable {
    /// A person is at the station: a button that `claims` was held for 5 s.
    case claim
    /// A button that `resets` has been held for 3 s; letting go still does nothing.
    case resetNear
    /// It was let go before 15 s.
    case resetLeft
    /// It was held for 15 s: the station is to be given away.
    case reset
}
