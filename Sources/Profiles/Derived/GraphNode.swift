import Core

/// Where a node's input comes from.
enum GraphSource: Hashable, Sendable {
    /// A channel of the device, by its index among the graph's channels.
    case channel(Int)
    /// A quantity that another device measures, by its index among the graph's inputs.
    case external(Int)
    /// Another node, by its index among the graph's nodes.
    case node(Int)
}

/// An input of a graph that another device measures.
package struct GraphExternal: Hashable, Sendable {
    /// Age from which an input is too old; the default of a profile.
    static let defaultAgeLimit: Duration = .seconds(600)

    /// `station:humidity`, or `garden/humidity`.
    package let address: String
    /// The unit that it must be measured in.
    package let unit: String
    let ageLimit: Duration

    init(_ address: String, unit: String, ageLimit: Duration = Self.defaultAgeLimit) {
        (self.address, self.unit, self.ageLimit) = (address, unit, ageLimit)
    }

    /// Name of the quantity, without the device.
    package var quantityName: String {
        address.split(whereSeparator: { $0 == "/" || $0 == ":" }).last.map(String.init) ?? address
    }

    /// The device that must have measured it; nil means any of the station.
    package var device: String? {
        address.firstIndex(of: "/").map { String(address[..<$0]) }
    }

    /// Whether this is what it asks for; derived channels answer to their name without the version.
    package func admits(_ channel: Channel) -> Bool {
        channel.quantity.unit == unit && channel.quantity.nameWithoutVersion == quantityName
            && (device == nil || device == channel.device)
    }
}

/// One step of a graph.
struct GraphNode: Hashable, Sendable {
    let name: String
    let operation: GraphOperation
    let inputs: [GraphSource]
    let unit: String
    /// Digits after the point in its reading; other nodes get its value with nine digits.
    let decimals: Int
    /// Whether it gives no reading, only a value for other nodes.
    let isHidden: Bool
    /// Longest time between two values; a longer one clears the node's state.
    let gapLimit: Duration

    static let defaultGapLimit: Duration = .seconds(3_600)

    /// Calculates the node's output from its inputs, in their order, and updates its state.
    func evaluate(
        _ signals: [GraphSignal],
        at now: MonotonicInstant,
        _ state: inout GraphState
    ) -> GraphSignal {
        if case .combine(let combination, let atLeast) = operation {
            return Self.combine(combination, signals, atLeast: atLeast)
        }
        var values: [Int64] = []
        var doubts = Quality()
        for signal in signals {
            switch signal {
            case .noData(let reason): return .noData(reason)
            case .value(let value, let quality):
                values.append(value)
                doubts.formUnion(quality)
            }
        }
        guard let first = values.first else { return .noData(.stale) }
        state.begin(at: now, gapLimit: gapLimit)
        return evaluate(first, values.last ?? first, doubts, &state)
    }

    private func evaluate(
        _ first: Int64,
        _ second: Int64,
        _ doubts: Quality,
        _ state: inout GraphState
    ) -> GraphSignal {
        switch operation {
        case .moving(let statistic, let window):
            return state.moving(statistic, window, first, doubts)
        case .rate(let period, let isCounter):
            return state.rate(period, isCounter: isCounter, first, doubts)
        case .threshold(let on, let off):
            return .value(state.threshold(on: on, off: off, first), doubts)
        case .debounce(let hold):
            return .value(state.debounce(hold: hold, first), doubts)
        case .gate(let unless):
            let isOpen = doubts.isDisjoint(with: unless) && (inputs.count < 2 || second != 0)
            return isOpen ? .value(first, doubts) : .noData(.gated)
        default:
            return stateless(first, second, doubts)
        }
    }

    private func stateless(_ first: Int64, _ second: Int64, _ doubts: Quality) -> GraphSignal {
        switch operation {
        case .scale(let factor):
            let product = GraphNumber.product(
                Int128(first),
                factor,
                over: GraphNumber.constantOne
            )
            return GraphSignal(product, doubts)
        case .offset(let summand):
            return GraphSignal(Int128(first) + Int128(summand), doubts)
        case .polynomial(let coefficients):
            return GraphSignal(GraphArithmetic.polynomial(coefficients, at: first), doubts)
        case .table(let points, let holdsEnds):
            let found = GraphArithmetic.table(points, at: first, holdsEnds: holdsEnds)
            guard let (value, isWithin) = found else { return .noData(.outOfRange) }
            return .value(value, isWithin ? doubts : doubts.union(.ceiling))
        case .humidityCorrection(let fit, let limit):
            guard HumidityFit.believable.contains(second) else { return .noData(.outOfRange) }
            guard second <= limit else { return .noData(.gated) }
            return GraphSignal(fit.dry(first, humidity: second), doubts)
        case .pressureCorrection(let reference):
            guard Self.pressures.contains(second) else { return .noData(.gated) }
            let ratio = GraphNumber.product(Int128(first), Int128(reference), over: Int128(second))
            return GraphSignal(ratio, doubts)
        case .dose(let factor, let deadTime):
            guard let counts = GraphArithmetic.counts(first, deadTime: deadTime) else {
                return .noData(.gated)
            }
            let dose = GraphNumber.product(counts, GraphNumber.constantOne, over: factor)
            return GraphSignal(dose, doubts)
        default:
            return .noData(.outOfRange)
        }
    }

    /// Pressures in Pa that the correction is for.
    ///
    /// - Source: Sensirion, *SCD4x data sheet*, `set_ambient_pressure`: 70 000 to 120 000 Pa.
    private static let pressures = 70_000 * GraphNumber.one...120_000 * GraphNumber.one

    /// The one operation that may do without some of its inputs.
    private static func combine(
        _ combination: GraphCombination,
        _ signals: [GraphSignal],
        atLeast: Int
    ) -> GraphSignal {
        var values: [Int64] = []
        var doubts = Quality()
        var absence: NoData?
        for signal in signals {
            switch signal {
            case .noData(let reason): absence = absence ?? reason
            case .value(let value, let quality):
                values.append(value)
                doubts.formUnion(quality)
            }
        }
        if values.count < atLeast, let absence { return .noData(absence) }
        return GraphSignal(GraphArithmetic.combine(combination, values), doubts)
    }
}

extension Quantity {
    /// Stands between the name of a derived quantity and the version of the graph it comes from.
    static let versionMark: Character = "@"

    /// Whether a graph made it: `pm25_dry@1`.
    package var isDerived: Bool { name.contains(Self.versionMark) }

    /// `pm25_dry` of `pm25_dry@1`.
    package var nameWithoutVersion: String {
        name.firstIndex(of: Self.versionMark).map { String(name[..<$0]) } ?? name
    }
}
