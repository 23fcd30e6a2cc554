import ControlProtocol
import Core
import TestSupport
import Testing

@testable import Devices
@testable import Profiles
@testable import SimulationKit
@testable import Station

/// A title is what people read: no driver knows it, so each goes on.
@Suite struct DeviceTitleTests {
    @Test func aTitleRestartsNoDevice() throws {
        let folder = try TestFolder(isInMemory: true)
        let (before, after, gap) = try simulate { clock in
            let bench = try DetectionBench(
                clock,
                """
                {"name": "test", "mode": "live",
                 "devices": [{"name": "door", "type": "pir", "line": "GPIO17"}],
                 "store": {"folder": "\(folder.path)", "megabytes": 4, "journalBlocks": 64}}
                """
            )
            let profile = try #require(ProfileCatalog.shipped.profile("milano-board"))
            bench.platform.network.put(try HTTPLineSimulator(profile, seed: 7), at: "10.0.0.9")
            let sensor = SimulatedAdapter.sds011("sds", id: 0xA160, on: clock)
            return try await bench.run { bench in
                bench.usb.plug(sensor, into: 1)
                try await bench.sleep(.seconds(10))
                var board = ConfigureDevice("board", address: "10.0.0.9")
                board.profile = "milano-board"
                _ = try await bench.ask(board)
                try await bench.sleep(.minutes(2))
                let (before, count) = (bench.starts, bench.values(of: "sds011").count)
                for name in ["sds011", "board", "door"] {
                    var question = ConfigureDevice(name)
                    question.title = "Klasse 3b"
                    #expect(try await bench.ask(question).body?.title(of: name) == "Klasse 3b")
                }
                try await bench.sleep(.seconds(20))
                let count2 = bench.values(of: "sds011").count
                return (before, bench.starts, count2 - count)
            }
        }
        #expect(before == after && before.contains("sds011") && before.contains("board"))
        #expect(gap >= 38, "two values each second, without a gap: \(gap)")
    }
}

extension DetectionBench {
    /// Names of the children that were started, in order.
    fileprivate var starts: [String] {
        events.compactMap { event in
            if case .childStarted(let child) = event.kind { child } else { nil }
        }
    }
}

extension DevicesReport {
    fileprivate func title(of name: String) -> String? {
        devices.first { $0.name == name }?.title
    }
}
