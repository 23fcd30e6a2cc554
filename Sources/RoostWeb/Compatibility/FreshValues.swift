import ControlProtocol

/// The station's present values by quantity; stale ones are left out.
struct FreshValues {
    /// Factors that make a pressure one in Pa, by its unit, and the decimals that they take away.
    static let pascals: [String: (factor: Double, digits: Int)] = [
        "Pa": (1, 0), "hPa": (100, 2), "kPa": (1_000, 3),
    ]

    private let all: [ChannelReport]
    private let channels: [ChannelReport]

    init(_ status: StatusReport) { self.init(status.channels) }

    init(_ all: [ChannelReport]) {
        self.all = all
        channels = all.filter(Self.isFresh)
    }

    static func isFresh(_ channel: ChannelReport) -> Bool {
        !channel.isStale && channel.latest?.value != nil
    }

    /// The reading of the first channel that measures a quantity.
    func reading(_ quantity: String) -> ReadingReport? { channel(quantity)?.latest }

    private func channel(_ quantity: String) -> ChannelReport? {
        channels.first { $0.channel.split(separator: "/").last.map(String.init) == quantity }
    }

    /// The channels by device, in their order: also those without a fresh value.
    var devices: [[ChannelReport]] {
        var found: [(name: Substring, channels: [ChannelReport])] = []
        for channel in all {
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
        guard quantity == "pressure", let unit = Self.pascals[channel.unit], unit.digits > 0 else {
            return value.description
        }
        let decimals = value.decimals - unit.digits
        return Measured(value.number * unit.factor, decimals: decimals).description
    }
}
