import ControlProtocol
import Core
import Glibc
import HardwareIO
import TestSupport
import Testing

@testable import SimulationKit
@testable import Station

/// Names of devices while the store does not open.
@Suite struct LateNamesTests {
    private static func text(_ folder: String) -> String {
        """
        {"name": "test", "detect": true,
         "store": {"folder": "\(folder)", "megabytes": 4, "journalBlocks": 64}}
        """
    }

    private static func names(_ bench: DetectionBench) -> [String?] { bench.found.map(\.name) }

    @Test func aHistoryThatTakesNothingTellsTheNamesAllTheSame() throws {
        let folder = try TestFolder(isInMemory: true)
        let names = try simulate { clock in
            let first = try DetectionBench(clock, Self.text(folder.path))
            let before = try await first.run { bench in
                for (socket, id) in [(1, UInt16(0xA160)), (2, 0xA161)] {
                    bench.usb.plug(.sds011("sds", id: id, on: clock), into: socket)
                    try await bench.sleep(.minutes(1))
                }
                return Self.names(bench)
            }
            let second = try DetectionBench(clock, Self.text(folder.path))
            second.platform.refuseJournal(with: .readOnly(path: "journal.ring"))
            let after = try await second.run { bench in
                bench.usb.plug(.sds011("sds", id: 0xA161, on: clock), into: 1)
                try await bench.sleep(.minutes(1))
                return bench.found.filter { $0.state == "adopted" }.map(\.name)
            }
            return [before, after]
        }
        #expect(names == [["sds011", "sds011-2"], ["sds011-2"]])
    }

    @Test func aProvisionalNameEndsWhenTheStoreOpens() throws {
        let folder = try TestFolder(isInMemory: true)
        let (names, values) = try simulate { clock in
            let bench = try DetectionBench(clock, Self.text(folder.later))
            return try await bench.run { bench in
                bench.usb.plug(.sds011("sds", id: 0xA160, on: clock), into: 1)
                try await bench.sleep(.minutes(2))
                var names = Self.names(bench)
                mkdir(folder.later, 0o755)
                try await bench.sleep(.minutes(10))
                names += Self.names(bench)
                return (names, ["sds011-A160", "sds011"].map { bench.values(of: $0).count })
            }
        }
        #expect(names == ["sds011-A160", "sds011"])
        #expect(values == [0, 6], "what was measured before is the sensor's too")
    }
}

extension TestFolder {
    fileprivate var later: String { path("later") }
}
