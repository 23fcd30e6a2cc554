import Configuration
import ControlProtocol
import Core
import Devices
import HardwareIO
import Logging
import SimulationKit
import Station
import Synchronization

/// A year of one station on the virtual clock, with the real heap and real files.
///
/// Every day the sensor is unplugged and plugged in again, ten minutes are live, the motion sensor
/// sees a hundred visits, and a client asks for everything each hour; every week the configuration
/// is read again. Prints an object a line: one for each 30 days, and a last one with the slopes.
struct Soak: Sendable {
    private static let port = "/dev/ttyUSB0"
    private static let pin = "GPIO17"

    let folder: String
    let days: Int
    /// `live` measures every second of the year.
    let mode: String
    /// Whether a courier delivers what is recorded.
    let hasCourier: Bool

    /// What the process was at the end of one day.
    private struct Day: Sendable {
        let number: Int
        let costs: ProcessCosts
        let readingCount: Int
    }

    /// Lives the year.
    ///
    /// - Throws: What ended the station.
    func run(_ tell: @escaping @Sendable (String) -> Void) throws {
        let days = try simulate { clock in
            clock.setWallTime(WallTime(nanoseconds: 1_767_225_600_000_000_000))
            let base = SimulatedPlatform(clock: clock)
            let line = SimulatedSerialPort(
                SDS011Simulator(air: .drifting(seed: clock.seed)),
                clock: clock,
                path: Self.port
            )
            base.plug(line, at: Self.port)
            let platform = SoakPlatform(base: base, folder: folder)
            let station = Station(
                try configuration(window: 600),
                in: StationDependencies(
                    platform: platform,
                    logger: Logger(label: "soak") { _ in SwiftLogNoOpLogHandler() },
                    seed: clock.seed,
                    endProcess: { fatalError($0) }
                )
            )
            let courier = hasCourier ? SoakCourier(beside: platform) : nil
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await station.run() }
                if let courier { group.addTask { try await courier.run() } }
                var days: [Day] = []  // As many as were asked for.
                for number in 1...self.days {
                    try await liveADay(number, of: station, on: platform, line, courier)
                    let costs = platform.figures
                    let readings = station.status.budget.readingCount
                    days.append(Day(number: number, costs: costs, readingCount: readings))
                    if number % 30 == 0 {
                        tell(Self.json(days[days.count - 1]))
                        if let courier { tell(await Self.json(courier)) }
                    }
                }
                courier?.stop()
                station.requestStop()
                try await group.waitForAll()
                return days
            }
        }
        tell(Self.verdict(days))
    }

    private func configuration(window: Int) throws -> StationConfiguration {
        let text = """
            {"name": "soak", "mode": "\(mode)", "watchdog": {},
             "lights": {"output": "/dev/letters"},
             "devices": [{"name": "dust", "type": "sds011", "port": "\(Self.port)"},
                         {"name": "door", "type": "pir", "line": "\(Self.pin)"}],
             "store": {"folder": "\(folder)/store", "megabytes": 16,
                       "lossWindowSeconds": \(window)}}
            """
        return try StationConfiguration.read(Array(text.utf8), file: "soak")
    }

    private func liveADay(
        _ number: Int,
        of station: Station,
        on platform: SoakPlatform,
        _ line: SimulatedSerialPort<SDS011Simulator>,
        _ courier: SoakCourier?
    ) async throws {
        let (clock, base) = (platform.clock, platform.base)
        for hour in 0..<24 {
            courier?.begin(hour: hour, of: number)
            try await ask(base)
            for quarter in 0..<4 {
                if hour == 7, quarter == 1 {
                    base.removePath(Self.port)
                    line.unplug()
                }
                if hour == 7, quarter == 2 { base.plug(line, at: Self.port) }
                base.gpio.drive(Self.pin, true)
                try await clock.sleep(for: .seconds(5))
                base.gpio.drive(Self.pin, false)
                try await clock.sleep(for: .seconds(895))
            }
            if hour == 12 {
                _ = try await ask(base, ChangeMode("live", seconds: 600))
            }
        }
        if number % 7 == 0 { station.reload(try configuration(window: 600)) }
    }

    /// Everything that a client may want to know.
    private func ask(_ base: SimulatedPlatform) async throws {
        let everything: [any Question] = [
            GetStatus(), GetTree(), GetDevices(), GetReadings(), GetEvents(), GetTail(),
        ]
        for question in everything { _ = try await ask(base, question) }
    }

    private func ask(
        _ base: SimulatedPlatform,
        _ question: some Question
    ) async throws -> String? {
        let connection = base.socket.connect()
        defer { connection.close() }
        try connection.send(ControlCodec.line(AskedQuestion(question)))
        return try await connection.nextLine()
    }

    // MARK: Figures

    private static func json(_ day: Day) -> String {
        let costs = day.costs
        return """
            {"day": \(day.number), "residentKiB": \(costs.residentKiB), \
            "privateKiB": \(costs.privateKiB), "descriptors": \(costs.descriptorCount), \
            "threads": \(costs.threadCount), "wakeUps": \(costs.wakeUps), \
            "cpuMilliseconds": \(Int(costs.cpuTime.inSeconds * 1_000)), \
            "cardBytes": \(costs.cardByteCount ?? -1), "cardSyncs": \(costs.cardSyncCount), \
            "readings": \(day.readingCount)}
            """
    }

    private static func json(_ courier: SoakCourier) async -> String {
        let ((requests, lines), samples) = (courier.counts, await courier.samples())
        return """
            {"requests": \(requests), "lines": \(lines), \
            "delivered": \(samples?.delivered ?? -1), "waiting": \(samples?.waiting ?? -1)}
            """
    }

    /// Slopes of the straight lines through all days but the first 30, in which rings fill up.
    private static func verdict(_ days: [Day]) -> String {
        let days = days.filter { $0.number > 30 }
        func slope(_ value: (ProcessCosts) -> Int) -> Double {
            let points = days.map { (Double($0.number), Double(value($0.costs))) }
            let count = Double(max(points.count, 1))
            let middle = (
                points.reduce(0) { $0 + $1.0 } / count, points.reduce(0) { $0 + $1.1 } / count
            )
            let above = points.reduce(0) { $0 + ($1.0 - middle.0) * ($1.1 - middle.1) }
            let below = points.reduce(0) { $0 + ($1.0 - middle.0) * ($1.0 - middle.0) }
            return below > 0 ? (above / below * 30 * 100).rounded() / 100 : 0
        }
        return """
            {"per": "30 days", "residentKiB": \(slope { $0.residentKiB }), \
            "privateKiB": \(slope { $0.privateKiB }), \
            "descriptors": \(slope { $0.descriptorCount }), \
            "threads": \(slope { $0.threadCount }), "days": \(days.count)}
            """
    }
}
