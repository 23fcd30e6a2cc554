import ControlProtocol
import Core
import Logging
import Synchronization
import Testing

@testable import Profiles
@testable import Runtime
@testable import SimulationKit
@testable import Station
@testable import Store

@Suite struct GraphSinkTests {
    private static let humidity = Quantity(name: "humidity", unit: "%", decimals: 1)

    /// Records the samples of which a recorder notifies its watchers, call by call.
    private final class Watched: Sendable {
        private let calls = Mutex<[[Reading]]>([])
        let recorder: Recorder

        init(_ clock: any NodeClock) {
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            recorder = Recorder(clock: clock, logger: logger)
            recorder.watch { [weak self] sample in self?.calls.withLock { $0.append(sample) } }
        }

        var samples: [[Reading]] { calls.withLock { $0 } }
    }

    private static func graph() throws -> GraphDescription {
        let node = JSONValue.object([
            "name": .string("dry"), "type": .string("humidityCorrection"),
            "input": .string("pm25"), "humidity": .string("station:humidity"),
            "fit": .string("hackair-pm25"),
        ])
        let value = JSONValue.object(["version": .number(4), "nodes": .array([node])])
        let problems = ProblemList()
        let graph = GraphReader.read(value, channels: [.pm25, .pm10], at: "graph", problems)
        return try #require(graph, "\(problems.problems)")
    }

    private static func sample(_ value: FixedPoint, at seconds: Int64) -> [Reading] {
        [Quantity.pm25, .pm10].map { quantity in
            Reading(
                Channel(device: "balcony", quantity: quantity),
                at: MonotonicInstant(nanoseconds: seconds * 1_000_000_000),
                .value(value)
            )
        }
    }

    @Test func rawAndDerivedComeInOneCall() throws {
        let graph = try Self.graph()
        let samples = try simulate { clock in
            let watched = Watched(clock)
            let sink = GraphSink(graph, device: "balcony", recorder: watched.recorder)
            sink.accept(Self.sample(16.5, at: 1))
            let air = Channel(device: "garden", quantity: Self.humidity)
            let instant = MonotonicInstant(nanoseconds: 2_000_000_000)
            watched.recorder.accept([Reading(air, at: instant, .value(80.0))])
            sink.accept(Self.sample(16.5, at: 3))
            return watched.samples
        }
        #expect(samples.count == 3)
        #expect(samples[0].map(\.channel.quantity.name) == ["pm25", "pm10", "dry@4"])
        #expect(samples[0].map(\.outcome) == [.value(16.5), .value(16.5), .noData(.stale)])
        // 1 + 0.48756 × 0.8^8.60068 = 1.0715; 16.5 / 1.0715 = 15.3985…
        let dry = FixedPoint(154, decimals: 1)
        #expect(
            samples[2].map(\.outcome) == [
                .value(16.5, .humid), .value(16.5, .humid), .value(dry, .humid),
            ]
        )
    }

    @Test func itSaysWhichNeighbourCounts() throws {
        let (facts, report) = try simulate { clock in
            let (watched, neighbours) = (Watched(clock), Neighbours())
            let graph = GraphDescription.plain([.pm25, .pm10])
            let sink = GraphSink(
                graph,
                device: "balcony",
                recorder: watched.recorder,
                neighbours: neighbours
            )
            let instant = MonotonicInstant(nanoseconds: 2_000_000_000)
            for (device, quantity) in [
                ("aula", Self.humidity), ("aula", .co2), ("garden", Self.humidity),
            ] {
                let channel = Channel(device: device, quantity: quantity)
                watched.recorder.accept([Reading(channel, at: instant, .value(80.0))])
            }
            sink.accept(Self.sample(16.5, at: 3))
            return (neighbours.facts(of: "balcony"), neighbours.humidity(of: "balcony"))
        }
        #expect(
            facts == [Fact("humidityFrom", "garden"), Fact("humidityNotFromWarm", ["aula"])]
        )
        #expect(report == HumidityReport(device: "garden", percent: 80))
    }

    @Test func withoutHumidityNothingChanges() throws {
        let samples = try simulate { clock in
            let watched = Watched(clock)
            let graph = GraphDescription.plain([.pm25, .pm10])
            let sink = GraphSink(graph, device: "balcony", recorder: watched.recorder)
            sink.accept(Self.sample(16.5, at: 1))
            return watched.samples
        }
        #expect(samples == [Self.sample(16.5, at: 1)])
    }

    @Test func derivedChannelsHaveAStreamOfTheirOwn() throws {
        let graph = try Self.graph()
        let streams = try simulate { clock in
            let intake = StoreIntake(lossWindow: .seconds(60), capacity: 4_000, streams: [])
            let queue = StoreQueue(
                intake,
                mirror: nil,
                clock: clock,
                attention: Signal(),
                schedule: { _ in .seconds(300) }
            )
            let watched = Watched(clock)
            watched.recorder.watch { queue.append($0) }
            watched.recorder.accept(Self.sample(1.0, at: 1))
            let sink = GraphSink(graph, device: "balcony", recorder: watched.recorder)
            sink.accept(Self.sample(2.0, at: 2))
            queue.seal()
            let payload = try #require(queue.nextBatch()?.payload)
            return try JournalRecordCodec.decode(payload).compactMap { record in
                if case .stream(let stream) = record { stream } else { nil }
            }
        }
        #expect(streams.map { $0.quantities.map(\.name) } == [["pm25", "pm10"], ["dry@4"]])
    }
}
