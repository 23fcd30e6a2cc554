import Profiles
import Readings
import Synchronization

/// Between a driver and the recorder: flags the raw readings and adds the derived ones.
///
/// Raw and derived of one sample are accepted together, in one call. Made once for a device, so
/// that what the graph remembers outlives a driver that restarts.
package final class GraphSink: ReadingSink {
    private let recorder: Recorder
    private let inputs: [GraphExternal]
    private let runner: Mutex<GraphRunner>

    package init(_ graph: GraphDescription, device: String, recorder: Recorder) {
        self.recorder = recorder
        inputs = graph.inputs
        runner = Mutex(GraphRunner(graph, device: device))
    }

    package func accept(_ readings: [Reading]) async {
        await recorder.accept(processed(readings))
    }

    package func record(_ event: Event) async { await recorder.record(event) }

    private func processed(_ readings: [Reading]) -> [Reading] {
        // Asked for, not listened to: nothing to take back when the device goes.
        let notes =
            inputs.isEmpty
            ? [] : recorder.lastValues { channel in inputs.contains { $0.admits(channel) } }
        return runner.withLock { runner in
            for note in notes { runner.note(note) }
            let raw = runner.flagged(readings)
            let derived = runner.evaluate(raw)
            return derived.isEmpty ? raw : raw + derived
        }
    }
}

extension StationContext {
    /// Where the driver of a device sends what it measures.
    ///
    /// The one place that joins graphs to devices. Call it once a device, not once a driver.
    ///
    /// - Parameters:
    ///   - device: The name under which the device reads.
    ///   - graph: That of its profile; `GraphDescription.plain` where it has none.
    /// - Returns: The graph in front of the recorder, or the recorder alone.
    package func sink(for device: String, graph: GraphDescription) -> any ReadingSink {
        graph.isEmpty ? recorder : GraphSink(graph, device: device, recorder: recorder)
    }
}
