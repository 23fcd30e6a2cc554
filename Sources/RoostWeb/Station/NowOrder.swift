import Profiles

/// Order of the channels on the page Now: the owner's first, what people ask for, the hidden ones.
struct NowOrder: Sendable {
    private let places: [String: Int]
    private let hidden: Set<String>

    /// - Parameters:
    ///   - first: Ids in the owner's order, none twice; one that is hidden, too, counts as first.
    ///   - hidden: Ids, also of channels that are not there.
    init(first: [String]?, hidden: [String]?) {
        let first = first ?? []
        places = Dictionary(first.enumerated().map { ($1, $0) }) { earlier, _ in earlier }
        self.hidden = Set(hidden ?? []).subtracting(first)
    }

    /// The place of the channel with this id; nil for the usual.
    func place(of id: String) -> ChannelView.Place? {
        places[id] != nil ? .first : hidden.contains(id) ? .hidden : nil
    }

    /// The channels with their places, in order.
    func sorted(_ channels: [ChannelView]) -> [ChannelView] {
        let placed = channels.map { channel in
            var channel = channel
            channel.place = place(of: channel.id)
            return channel
        }
        let first = placed.filter { $0.place == .first }
            .sorted { places[$0.id, default: 0] < places[$1.id, default: 0] }
        // Channels of one quantity stay in the order of their devices.
        let others = placed.filter { $0.place != .first }
            .sorted { QuantityGroup.isBefore($0.quantity, $1.quantity) }
        return first + others.filter { $0.place == nil } + others.filter { $0.place == .hidden }
    }
}
