import Core
import HardwareIO
import Testing

@testable import Devices
@testable import SimulationKit
@testable import Station
@testable import Store

/// The process is stopped, or the machine suspended, while the sensor goes on speaking.
@Suite struct StandstillTests {
    /// From the line's buffer 122 s would be dated together, and the rest be the sensor's fault.
    @Test(arguments: [25, 122])
    func whatWaitedInTheLineIsNoMeasurementAndTheLedgerSaysWhy(_ seconds: Int) throws {
        try withStoreFolders(1) { folders in
            let text = """
                {"name": "test", "mode": "live",
                 "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}],
                 "store": {"folder": "\(folders[0])", "megabytes": 4, "journalBlocks": 64}}
                """
            let (readings, marks, stretch) = try simulate { clock in
                let test = try TestStation(clock, text, air: .drifting(seed: 5))
                return try await test.run { test in
                    try await test.sleep(.milliseconds(120_300))
                    let from = clock.now
                    clock.skip(.seconds(seconds))
                    let to = clock.now
                    try await test.sleep(.seconds(60))
                    let marks = test.events.filter {
                        $0.kind.name == "samples missing" && $0["cause"] == "suspended"
                    }
                    return (test.readings(), marks, from..<to)
                }
            }
            let second = Duration.seconds(1)
            let inside = readings.filter { stretch.contains($0.instant) }
            #expect(inside.isEmpty)
            let after = readings.filter { $0.instant >= stretch.upperBound }
            #expect(after.count >= 57 && after.allSatisfy { $0.outcome.value != nil })
            let isExplained = marks.contains { mark in
                let (from, to) = (mark["from"].flatMap(Int64.init), mark["to"].flatMap(Int64.init))
                guard let from, let to else { return false }
                return from <= Tick(stretch.lowerBound.advanced(by: second)).tenths
                    && to >= Tick(stretch.upperBound).tenths
            }
            #expect(isExplained)
        }
    }
}
