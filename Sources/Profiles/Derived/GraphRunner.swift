import Core

/// Works a graph out for one device, sample after sample.
///
/// The same readings and notes in the same order give the same bits on every CPU. The raw readings
/// stay as they are. A node is computed when one of its channels came; what did not come counts
/// with its last value for ten minutes, then as `stale`. An instant before the last one is another
/// boot: everything is forgotten.
package struct GraphRunner: Sendable {
    package let graph: GraphDescription
    private let device: String
    private var channels: [GraphHeld?]
    /// Last values for each external input.
    private var neighbours: [GraphNeighbours]
    private var last: MonotonicInstant?

    package init(_ graph: GraphDescription, device: String) {
        (self.graph, self.device) = (graph, device)
        channels = Array(repeating: nil, count: graph.channels.count)
        neighbours = graph.externals.map(GraphNeighbours.init)
    }

    /// Offers what another device measured; channels that the graph does not use are ignored.
    ///
    /// A reading without a value changes nothing: the age of the last value decides.
    ///
    /// - Parameter isWarm: Whether its part warms the air that it measures.
    package mutating func remember(_ reading: Reading, isWarm: Bool = false) {
        for index in neighbours.indices { neighbours[index].remember(reading, isWarm: isWarm) }
    }

    /// Forgets what it knows: the node's clock began anew.
    package mutating func reset() { self = GraphRunner(graph, device: device) }

    /// The readings, with `humid` on those that the humidity makes doubtful.
    package func flagged(_ readings: [Reading]) -> [Reading] {
        guard let rule = graph.humid, let humidity = humidity(beside: readings),
            humidity.value > rule.above
        else { return readings }
        return readings.map { reading in
            guard let index = place(of: reading), rule.channels.contains(index),
                case .value(let value, let quality) = reading.outcome
            else { return reading }
            let doubted = Outcome.value(value, quality.union(.humid))
            return Reading(reading.channel, at: reading.instant, doubted)
        }
    }

    /// The humidity that decides whether a sample is `humid`, with the device that measured it.
    ///
    /// - Returns: nil where no humidity is asked for or known.
    package func humidity(beside readings: [Reading]) -> NeighbourChoice? {
        guard let rule = graph.humid, let now = readings.first?.instant else { return nil }
        switch rule.humidity {
        case .external(let index): return neighbours[index].choice(at: now)
        case .channel(let index):
            let own = readings.last { place(of: $0) == index }
            let signal = own.map { GraphSignal($0.outcome) } ?? held(rule.humidity, at: now)
            guard case .value(let value, _) = signal else { return nil }
            let name = graph.channels[index].name
            return NeighbourChoice(quantity: name, device: device, value: value, passedOver: [:])
        }
    }

    /// The devices whose values go in at an instant, one for each input that has a value.
    package func choices(at now: MonotonicInstant) -> [NeighbourChoice] {
        neighbours.compactMap { $0.choice(at: now) }
    }

    /// The derived readings of one sample, in the order of the profile.
    ///
    /// - Parameter readings: Raw readings of one instant; of two for one channel the last counts.
    /// - Returns: One for each node that was computed.
    package mutating func evaluate(_ readings: [Reading]) -> [Reading] {
        guard let now = readings.first?.instant, !graph.nodes.isEmpty else { return [] }
        if let last, now < last { reset() }
        last = now
        var came = Set<Int>()
        for reading in readings {
            guard let index = place(of: reading) else { continue }
            came.insert(index)
            channels[index] = GraphHeld(instant: now, signal: GraphSignal(reading.outcome))
        }
        return graph.nodes.compactMap { node in
            let isDue = node.inputs.contains { source in
                if case .channel(let channel) = source { came.contains(channel) } else { false }
            }
            guard isDue else { return nil }
            let signal = node.evaluate(node.inputs.map { held($0, at: now) })
            let channel = Channel(device: device, quantity: graph.quantity(of: node))
            return Reading(channel, at: now, signal.outcome(decimals: node.decimals))
        }
    }

    private func place(of reading: Reading) -> Int? {
        guard reading.channel.device == device else { return nil }
        return graph.channels.firstIndex { $0 == reading.channel.quantity }
    }

    private func held(_ source: GraphSource, at now: MonotonicInstant) -> GraphSignal {
        let limit = GraphExternal.defaultAgeLimit
        switch source {
        case .channel(let index):
            return channels[index]?.signal(at: now, limit: limit) ?? .noData(.stale)
        case .external(let index):
            return neighbours[index].signal(at: now)
        }
    }
}
