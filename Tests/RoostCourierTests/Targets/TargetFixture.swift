import Core
import SimulationKit

@testable import CourierSimulation
@testable import RoostCourier

/// Fixtures that the tests of targets share.
enum TargetFixture {
    static let station = StationIdentity(
        id: "7f3a21c9d0e4",
        name: "balcony",
        model: "Raspberry Pi 4",
        version: "0.1.0"
    )

    /// 2026-11-22T04:30:00Z.
    static let time = WallTime(nanoseconds: 1_795_321_800_000_000_000)

    private static let boot = BootID(bytes: Array(repeating: 0xB1, count: 16))

    /// Makes a sample of dust, `number` times five minutes after `time`.
    static func dust(
        _ number: Int = 0,
        pm25: Outcome = .value(12.3),
        pm10: Outcome = .value(20.5),
        tick: Tick? = nil
    ) -> OutboxSample {
        sample(number, "dust", [(.pm25, pm25), (.pm10, pm10)], tick: tick)
    }

    static func sample(
        _ number: Int,
        _ device: String,
        _ values: [(Quantity, Outcome)],
        hasTime: Bool = true,
        tick: Tick? = nil
    ) -> OutboxSample {
        let later = Int64(number) * 300
        let date = WallTime(nanoseconds: time.nanoseconds + later * 1_000_000_000)
        return OutboxSample(
            stream: StreamID(3),
            at: (boot, tick ?? Tick(tenths: 28_005_850 + later * 10)),
            time: hasTime ? date : nil,
            device: device,
            quantities: values.map(\.0),
            outcomes: values.map(\.1)
        )
    }

    static func batch(_ samples: OutboxSample...) -> SampleBatch {
        SampleBatch(samples, id: "batch-1", isLate: false)
    }

    /// Runs `body` with a network of the simulated world.
    @discardableResult static func inNetwork<Value: Sendable>(
        _ servers: [String: any SimulatedServer],
        _ body: @escaping @Sendable (CourierSimulation.SimulatedInternet) async throws -> Value
    ) throws -> Value {
        try simulate { clock in
            let network = CourierSimulation.SimulatedInternet(clock: clock)
            for (host, server) in servers { network.add(server, at: host) }
            return try await body(network)
        }
    }

    /// Delivers a batch once under each of the faults, and names the outcomes.
    static func deliver(
        _ batch: SampleBatch,
        to target: any SampleTarget,
        _ server: any SimulatedServer,
        at host: String,
        _ faults: [NetworkFault?] = [nil]
    ) throws -> [String] {
        try inNetwork([host: server]) { network in
            var names: [String] = []
            for fault in faults {
                network.set(fault, at: host)
                names.append(try await target.deliver(batch, over: network).name)
            }
            return names
        }
    }
}

extension DeliveryOutcome {
    /// Name of the enum's case, without its values.
    var name: String {
        switch self {
        case .delivered: "delivered"
        case .partly: "partly"
        case .later: "later"
        case .hold: "hold"
        case .refused: "refused"
        case .unknown: "unknown"
        case .foreign: "foreign"
        }
    }
}
