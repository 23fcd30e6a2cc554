import Core
import Devices

/// Ends the session of a part that can rest at any moment, under any fault: it rests afterwards.
package struct SessionEnds {
    package enum Way: String, CaseIterable, Sendable { case left, stopped }

    package enum Mode: String, CaseIterable, Sendable {
        case duty, live

        package var mode: SensorMode {
            switch self {
            case .duty: .dutyCycle(BenchProfile.cycle)
            case .live: .live
            }
        }
    }

    /// Drivers whose parts can rest.
    package static let drivers = DeviceCatalog.kinds.map(\.driver).filter { driver in
        guard let kind = DeviceCatalog.kind(driver) else { return false }
        let dialect = try? kind.dialect(BenchProfile.make(of: kind))
        return dialect?.commands(for: .rest).isEmpty == false
    }
    package static let faults: [SensorFault?] = [nil] + SensorFault.allCases

    private let kind: SensorKind
    private let mode: SensorMode

    package init(driver: String, _ mode: SensorMode) throws {
        guard let kind = DeviceCatalog.kind(driver) else {
            throw FuzzError(description: "there is no driver \(driver)")
        }
        (self.kind, self.mode) = (kind, mode)
    }

    /// - Returns: What is wrong afterwards; nil when nothing is.
    package func complaint(
        _ way: Way,
        at moment: Duration,
        under fault: SensorFault?
    ) throws -> String? {
        let faults = fault.map { [SensorFaultWindow($0)] } ?? []
        var bench = try SessionBench(kind, mode: mode, faults: faults)
        bench.run(until: .boot.advanced(by: moment))
        if way == .stopped {
            bench.handle(.stop)
            // Two attempts of a second for each command.
            bench.run(until: bench.now.advanced(by: .seconds(2)))
            guard bench.isOver else { return "it is not over within two seconds" }
        }
        bench.leave()
        guard bench.isOver else { return "it is not over" }
        return bench.isLeftAtRest ? nil : "the part is not at rest"
    }
}
