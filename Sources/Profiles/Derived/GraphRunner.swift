import Core

/// Works a graph out for one device, sample after sample.
///
/// The same readings and notes in the same order give the same bits on every CPU. The raw readings
/// stay as they are. A node is computed when one of its channels came; what did not come counts
/// with its last value for ten minutes, then as `stale`. An instant before the last one is another
/// boot: everything is forgotten.
package struct GraphRunner: Sendable {
    /// Devices whose value of one name is kept for `station:name`; the first of a sample go on.
    private static let deviceLimit = 32

    package let graph: GraphDescription
    private let device: String
    private var channels: [GraphHeld?]
    /// Last values of each external input, by device; bound: 32 devices each.
    private var notes: [[(device: String, held: GraphHeld)]]
    private var last: MonotonicInstant?

    package init(_ graph: GraphDescription, device: String) {
        (self.graph, self.device) = (graph, device)
        channels = Array(repeating: nil, count: graph.channels.count)
        notes = Array(repeating: [], count: graph.externals.count)
    }

    /// Offers what another device measured; channels that the graph does not use are ignored.
    ///
    /// A reading without a value changes nothing: the age of the last value decides.
    package mutating func remember(_ reading: Reading) {
        let signal = GraphSignal(reading.outcome)
        guard case .value = signal else { return }
        for (index, external) in graph.externals.enumerated()
        where external.admits(reading.channel) {
            let held = GraphHeld(instant: reading.instant, signal: signal)
            let name = reading.channel.device
            if let place = notes[index].firstIndex(where: { $0.device == name }) {
                notes[index][place].held = held
            } else if notes[index].count < Self.deviceLimit {
                notes[index].append((name, held))
                // In the order of names, so that it does not matter who spoke first.
                notes[index].sort { $0.device < $1.device }
            }
        }
    }

    /// Forgets what it knows: the node's clock began anew.
    package mutating func reset() { self = GraphRunner(graph, device: device) }

    /// The readings, with `humid` on those that the humidity makes doubtful.
    package func flagged(_ readings: [Reading]) -> [Reading] {
        guard let rule = graph.humid, let now = readings.first?.instant else { return readings }
        let signal: GraphSignal
        if case .channel(let index) = rule.humidity {
            let own = readings.last { place(of: $0) == index }
            signal = own.map { GraphSignal($0.outcome) } ?? held(rule.humidity, at: now)
        } else {
            signal = held(rule.humidity, at: now)
        }
        guard case .value(let humidity, _) = signal, humidity > rule.above else { return readings }
        return readings.map { reading in
            guard let index = place(of: reading), rule.channels.contains(index),
                case .value(let value, let quality) = reading.outcome
            else { return reading }
            let doubted = Outcome.value(value, quality.union(.humid))
            return Reading(reading.channel, at: reading.instant, doubted)
        }
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
            let limit = graph.externals[index].ageLimit
            for note in notes[index] {
                let signal = note.held.signal(at: now, limit: limit)
                if case .value = signal { return signal }
            }
            return .noData(.stale)
        }
    }
}
