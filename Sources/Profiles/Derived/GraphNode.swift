import Core

/// Where a node's input comes from.
enum GraphSource: Hashable, Sendable {
    /// A channel of the device, by its index among the graph's channels.
    case channel(Int)
    /// A quantity that another device measures, by its index among the graph's inputs.
    case external(Int)
}

/// An input of a graph that another device measures.
package struct GraphExternal: Hashable, Sendable {
    /// Age from which an input is too old; the default of a profile.
    static let defaultAgeLimit: Duration = .seconds(600)

    /// `station:humidity`, or `garden/humidity`.
    package let address: String
    /// The unit that it goes in with; a pressure may be measured in hPa or kPa, too.
    package let unit: String
    let ageLimit: Duration

    init(_ address: String, unit: String, ageLimit: Duration = Self.defaultAgeLimit) {
        (self.address, self.unit, self.ageLimit) = (address, unit, ageLimit)
    }

    /// Name of the quantity, without the device.
    var quantityName: String {
        address.split(whereSeparator: { $0 == "/" || $0 == ":" }).last.map(String.init) ?? address
    }

    /// The device that must have measured it; nil means any of the station.
    package var device: String? {
        address.firstIndex(of: "/").map { String(address[..<$0]) }
    }

    /// Units that can be had from another one by a power of ten.
    private static let powers = ["Pa": ["hPa": 2, "kPa": 3]]

    /// Whether this is what it asks for; derived channels answer to their name without the version.
    package func admits(_ channel: Channel) -> Bool { power(of: channel) != nil }

    /// The power of ten that brings a channel's values to `unit`; nil where they are not meant.
    func power(of channel: Channel) -> Int? {
        guard channel.quantity.nameWithoutVersion == quantityName,
            device == nil || device == channel.device
        else { return nil }
        return channel.quantity.unit == unit ? 0 : Self.powers[unit]?[channel.quantity.unit]
    }
}

/// One derived channel of a graph.
struct GraphNode: Hashable, Sendable {
    let name: String
    let operation: GraphOperation
    let inputs: [GraphSource]
    let unit: String
    /// Digits after the point.
    let decimals: Int

    /// Computes the node; the first input without a value gives the reason.
    func evaluate(_ signals: [GraphSignal]) -> GraphSignal {
        var values: [Double] = []
        var doubts = Quality()
        for signal in signals {
            switch signal {
            case .noData(let reason): return .noData(reason)
            case .value(let value, let quality):
                values.append(value)
                doubts.formUnion(quality)
            }
        }
        return operation.evaluate(values, doubts)
    }
}

extension Quantity {
    /// Stands between the name of a derived quantity and the version of the graph it comes from.
    static let versionMark: Character = "@"

    /// Whether a graph made it: `pm25_dry@1`.
    package var isDerived: Bool { name.contains(Self.versionMark) }

    /// `pm25_dry` of `pm25_dry@1`.
    var nameWithoutVersion: String {
        name.firstIndex(of: Self.versionMark).map { String(name[..<$0]) } ?? name
    }
}
