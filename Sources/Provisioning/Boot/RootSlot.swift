/// One of the two partitions of a card that hold a root, by its number.
package enum RootSlot: Int, Hashable, Sendable, CaseIterable {
    case first = 2
    case second = 3

    package var other: RootSlot { self == .first ? .second : .first }

    /// - Parameter text: `2` or `3`; spaces and line ends around it do not matter.
    package init?(text: some StringProtocol) {
        let digits = String(text).filter { !$0.isWhitespace }
        guard let number = Int(digits), let slot = RootSlot(rawValue: number) else { return nil }
        self = slot
    }
}
