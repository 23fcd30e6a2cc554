import Core
import Profiles
import Synchronization

/// Between a driver and the recorder: doubts the raw readings and adds the derived ones.
///
/// Raw and derived of one sample are accepted together, in one call. Made once for a device, so
/// that the graph's state outlives a driver that restarts.
final class GraphSink: ReadingSink {
    private let recorder: Recorder
    private let air: CrossCheck
    private let neighbours: Neighbours
    private let inputs: [GraphExternal]
    private let device: String
    private let runner: Mutex<GraphRunner>

    /// A sink that has seen nothing.
    ///
    /// - Parameters:
    ///   - device: Under which name it reads.
    ///   - air: The devices that it is compared with.
    ///   - neighbours: Gets the devices whose values go into a sample.
    init(
        _ graph: GraphDescription,
        device: String,
        recorder: Recorder,
        air: CrossCheck = CrossCheck(),
        neighbours: Neighbours = Neighbours()
    ) {
        (self.recorder, self.air, self.device) = (recorder, air, device)
        self.neighbours = neighbours
        inputs = graph.inputs
        runner = Mutex(GraphRunner(graph, device: device))
    }

    func accept(_ readings: [Reading]) {
        let (compared, events) = air.compare(readings)
        recorder.accept(processed(compared))
        for event in events { recorder.record(event) }
    }

    func record(_ event: Event) { recorder.record(event) }

    private func processed(_ readings: [Reading]) -> [Reading] {
        // Queried, not subscribed to: no subscription has to end with the device.
        let notes =
            inputs.isEmpty
            ? []
            : recorder.lastValues { channel in
                inputs.contains { $0.admits(channel) } || channel.quantity.isOfWarmPart
            }
        let warm = Set(notes.filter(\.channel.quantity.isOfWarmPart).map(\.channel.device))
        return runner.withLock { runner in
            for note in notes {
                runner.remember(note, isWarm: warm.contains(note.channel.device))
            }
            let raw = runner.flagged(readings)
            let derived = runner.evaluate(raw)
            let now = readings.first?.instant ?? .boot
            let (humidity, choices) = (runner.humidity(beside: raw), runner.choices(at: now))
            neighbours.set(device, humidity: humidity, choices)
            return derived.isEmpty ? raw : raw + derived
        }
    }
}

extension StationContext {
    /// Returns the sink for a device's driver: its graph, or the recorder.
    ///
    /// The one place that joins graphs to devices. Call it once a device, not once a driver.
    ///
    /// - Parameters:
    ///   - device: The name under which the device reads.
    ///   - graph: That of its profile; `GraphDescription.plain` where it has none.
    /// - Returns: The graph in front of the recorder, or the recorder alone.
    package func sink(for device: String, graph: GraphDescription) -> any ReadingSink {
        let isCompared = graph.channels.contains { CrossCheck.compares($0.name) }
        guard !graph.isEmpty || isCompared else { return recorder }
        return GraphSink(
            graph,
            device: device,
            recorder: recorder,
            air: sameAir,
            neighbours: neighbours
        )
    }
}
