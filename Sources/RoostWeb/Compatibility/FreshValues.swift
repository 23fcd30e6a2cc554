import ControlProtocol

/// The station's present values by quantity; stale ones are left out.
struct FreshValues {
    private let channels: [ChannelReport]

    init(_ status: StatusReport) { self.init(status.channels) }

    init(_ all: [ChannelReport]) {
        channels = all.filter { !$0.isStale && $0.latest?.value != nil }
    }

    /// The reading of the first channel that measures a quantity.
    func reading(_ quantity: String) -> ReadingReport? { channel(quantity)?.latest }

    private func channel(_ quantity: String) -> ChannelReport? {
        channels.first { $0.channel.split(separator: "/").last.map(String.init) == quantity }
    }

    /// The channels by device, in their order.
    var devices: [[ChannelReport]] {
        var found: [(name: Substring, channels: [ChannelReport])] = []
        for channel in channels {
            let name = channel.channel.prefix { $0 != "/" }
            if let index = found.firstIndex(where: { $0.name == name }) {
                found[index].channels.append(channel)
            } else {
                found.append((name, [channel]))
            }
        }
        return found.map(\.channels)
    }

    /// The value as it was measured, with its decimals; a pressure in Pa.
    func text(_ quantity: String) -> String? {
        guard let channel = channel(quantity), let value = channel.latest?.measured else {
            return nil
        }
        guard quantity == "pressure", channel.unit == "hPa" else { return value.description }
        return Measured(value.number * 100, decimals: value.decimals - 2).description
    }
}
