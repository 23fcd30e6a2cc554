import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime

/// Stops the attendant of a broker at many moments, with every fault of the network.
@Suite struct MQTTDiscoveryConformanceTests {
    static let children: [any Child.Type] = [MQTTDiscovery.self]

    private static let faults: [NetworkFault?] = [
        nil, .nameServerSilent, .unknownHost, .refused, .unreachable, .wrongCertificate, .silent,
        .answerLost, .status(503, retryAfterSeconds: 60), .captivePortal, .slow(.seconds(40)),
    ]

    @Test(arguments: faults.indices, [0, 1, 29, 31, 61, 3_700])
    func endsAtOnceWhenItIsStopped(fault: Int, seconds: Int) throws {
        try simulate { clock in
            let world = MQTTTargetTests.World(clock)
            world.internet.set(Self.faults[fault], at: "broker")
            let stop = clock.now.advanced(by: .seconds(seconds))
            try await world.attended { try await clock.sleep(until: stop) }
            #expect(stop.duration(to: clock.now) < .seconds(1))
        }
    }
}
