import ControlProtocol
import Core
import Glibc
import HardwareIO
import TestSupport
import Testing

@testable import Devices
@testable import SimulationKit
@testable import Station
@testable import Store

/// Folders for stores on the real file system, gone afterwards.
func withStoreFolders<Value>(
    _ count: Int,
    _ body: ([String]) throws -> Value
) throws -> Value {
    let folders = try (0..<count).map { _ in try TestFolder(isInMemory: true) }
    return try withExtendedLifetime(folders) { try body(folders.map(\.path)) }
}

/// Two stations with one name on one machine, each with a store of its own.
@Suite struct TwoStationsTests {
    private static func text(_ folder: String) -> String {
        """
        {"name": "test", "mode": "normal",
         "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}],
         "store": {"folder": "\(folder)", "megabytes": 4, "journalBlocks": 64}}
        """
    }

    private static func values(_ folder: String) throws -> [Outcome] {
        let reader = try HistoryReader(path: "\(folder)/history.db")
        guard let stream = try reader.streams().first else { return [] }
        let samples = try RawSamples(reader, stream.id, StreamExtents(reader).spans(of: stream.id))
        var found: [Outcome] = []
        while let sample = try samples.next() { found.append(sample.outcomes[0]) }
        return found
    }

    @Test func aKilledStationLeavesItsValuesToItsOwnStoreAlone() throws {
        try withStoreFolders(2) { folders in
            let airs = [110, 990].map {
                SDS011Air.constant(SDS011Measurement(pm25Tenths: $0, pm10Tenths: $0))
            }
            let counts = try simulate { clock in
                let (memory, cards) = (SimulatedMemory(), [SimulatedCard(), SimulatedCard()])
                var counts = [0, 0]
                // Each one in turn is killed with values that no block holds yet, and then each
                // one in turn starts again.
                for number in [0, 1, 0, 1] {
                    let test = try TestStation(
                        clock,
                        Self.text(folders[number]),
                        air: airs[number],
                        card: cards[number]
                    )
                    test.platform.memory = memory
                    try await test.runUntilKilled(after: .minutes(9))
                    counts[number] += test.readings().count { $0.outcome.value != nil }
                }
                for number in [0, 1] {
                    let test = try TestStation(
                        clock,
                        Self.text(folders[number]),
                        isPlugged: false,
                        card: cards[number]
                    )
                    test.platform.memory = memory
                    try await test.run { try await $0.sleep(.minutes(1)) }
                }
                return counts
            }
            for (number, tenths) in [(0, 110), (1, 990)] {
                let stored = try Self.values(folders[number]).compactMap(\.value)
                #expect(stored.count == counts[number])
                #expect(stored.allSatisfy { $0 == FixedPoint(Int64(tenths), decimals: 1) })
            }
        }
    }

    @Test func aStoreThatAnotherProcessHasIsNamedAndTakenWhenThatIsGone() throws {
        try withStoreFolders(1) { folders in
            let (during, after) = try simulate { clock in
                let memory = SimulatedMemory()
                let other = SimulatedPlatform(clock: clock)
                other.memory = memory
                let held = try other.claimStore(folders[0])
                defer { withExtendedLifetime(held) {} }
                let test = try TestStation(clock, Self.text(folders[0]))
                test.platform.memory = memory
                return try await test.run { test in
                    try await test.sleep(.minutes(10))
                    let during = test.station.status.faults
                    memory.end(other)
                    try await test.sleep(.minutes(10))
                    return (during, test.station.status.faults)
                }
            }
            #expect(during.count == 1 && during[0].sentence.contains("roostd (pid 4711) has it"))
            #expect(after == [])
            #expect(try Self.values(folders[0]).count > 2)
        }
    }
}
