import ControlProtocol
import Core
import HardwareIO
import SimulationKit
import Testing

@testable import Station

@Suite struct DetectionTests {
    @Test func aSensorThatIsPluggedInReadsWithoutAnyConfiguration() throws {
        let (found, values) = try simulate { clock in
            let bench = try DetectionBench(clock)
            let sensor = SimulatedAdapter.sds011("sds", id: 0xA160, on: clock)
            return try await bench.run { bench in
                try await bench.sleep(.seconds(10))
                bench.usb.plug(sensor, into: 1)
                try await bench.sleep(.minutes(1))
                return (bench.found, bench.values(of: "sds011"))
            }
        }
        #expect(found.map(\.state) == ["adopted"])
        #expect(found.map(\.identity) == ["nova-sds011:A160"])
        #expect(found.map(\.name) == ["sds011"])
        #expect(!values.isEmpty)
    }
}
