import Configuration
import ControlProtocol
import Core
import Devices
import Glibc
import HardwareIO
import Logging
import Runtime
import SimulationKit
import Station

/// The micro benchmarks; prints one JSON object, times are of this machine at this moment.
///
/// `roost-bench query HISTORY [ROUNDS]` asks a history instead, `roost-bench clusters FILE
/// [ROUNDS]` groups points by place, `roost-bench proof FOLDER [DAYS [ROUNDS]]` asks a year of
/// forty channels for its days, `roost-bench soak FOLDER [DAYS [MODE [courier]]]` lives through a
/// year.
@main
enum RoostBench {
    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count >= 3, arguments[1] == "query" {
            let rounds = arguments.count > 3 ? Int(arguments[3]) ?? 21 : 21
            let query = QueryBenchmark(path: arguments[2], rounds: rounds) { now }
            return print(try query.run())
        }
        if arguments.count >= 3, arguments[1] == "clusters" {
            let rounds = arguments.count > 3 ? Int(arguments[3]) ?? 3 : 3
            return print(try ClusterBenchmark(path: arguments[2], rounds: rounds).run())
        }
        if arguments.count >= 3, arguments[1] == "proof" {
            let proof = ProofBenchmark(
                folder: arguments[2],
                days: arguments.count > 3 ? max(1, Int(arguments[3]) ?? 365) : 365,
                rounds: arguments.count > 4 ? max(1, Int(arguments[4]) ?? 11) : 11,
                now: { now },
                allocations: { allocationCount }
            )
            return print(try proof.run())
        }
        if arguments.count >= 3, arguments[1] == "soak" {
            let days = arguments.count > 3 ? Int(arguments[3]) ?? 365 : 365
            let mode = arguments.count > 4 ? arguments[4] : "normal"
            let soak = Soak(
                folder: arguments[2],
                days: max(1, days),
                mode: mode,
                hasCourier: arguments.contains("courier")
            )
            return try soak.run { line in
                print(line)
                fflush(nil)
            }
        }
        let decoder = decoderRate()
        let restarts = try restartRate()
        let (simulated, days) = try simulationRate()
        let allocations = decoder.allocationsPerFrame.map { "\($0)" } ?? "null"
        print(
            """
            {"decoderMegabytesPerSecond": \(whole(decoder.megabytes)), \
            "decoderAllocationsPerFrame": \(allocations), \
            "supervisorRestartsPerSecond": \(whole(restarts)), \
            "simulatedSecondsPerSecond": \(whole(simulated)), "simulatedDays": \(days)}
            """
        )
    }

    private static func whole(_ value: Double) -> Int { Int(value.rounded()) }

    /// Seconds of the monotonic clock.
    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// How often memory was allocated so far; nil unless `allocations.c` is loaded.
    private static var allocationCount: UInt? {
        typealias Count = @convention(c) () -> UInt
        guard let symbol = dlsym(nil, "roost_bench_allocation_count") else { return nil }
        return unsafeBitCast(symbol, to: Count.self)()
    }

    // MARK: Decoder

    /// A second of good frames in pieces of 250 bytes, as a busy line hands them over.
    private static func decoderRate() -> (megabytes: Double, allocationsPerFrame: Double?) {
        let (pieceSize, frameSize) = (250, 10)
        let bytes = (0..<50_000).flatMap { frame(pm25Tenths: UInt16($0 % 9_999)) }
        var decoder = SDS011Decoder()
        var (byteCount, sum) = (0, 0)
        let allocationsBefore = allocationCount
        precondition(allocationsBefore != 0, "the allocation counter does not count")
        let start = now
        while now - start < 1 {
            for piece in stride(from: 0, to: bytes.count, by: pieceSize) {
                decoder.decode(bytes.span.extracting(piece..<piece + pieceSize)) { result in
                    if case .success(.measurement(let measurement, _)) = result {
                        sum &+= Int(measurement.pm25Tenths)
                    }
                }
            }
            byteCount += bytes.count
        }
        let elapsed = now - start
        let allocations = allocationCount.flatMap { after in
            allocationsBefore.map { Double(after - $0) / Double(byteCount / frameSize) }
        }
        precondition(decoder.frameCount == byteCount / frameSize && sum > 0, "a frame was lost")
        return (Double(byteCount) / 1e6 / elapsed, allocations)
    }

    private static func frame(pm25Tenths value: UInt16) -> [UInt8] {
        let body: [UInt8] = [UInt8(value & 0xFF), UInt8(value >> 8), 0x10, 0x27, 0xA1, 0x60]
        return [0xAA, 0xC0] + body + [body.reduce(0, &+), 0xAB]
    }

    // MARK: Supervisor

    /// Restarts of one child that fails at once, under a supervisor that never has enough.
    private static func restartRate() throws -> Double {
        let wanted = 50_000
        let start = now
        let count = try simulate { clock in try await drillRestarts(wanted, on: clock) }
        let elapsed = now - start
        precondition(count >= wanted, "only \(count) restarts")
        return Double(count) / elapsed
    }

    // MARK: Simulation

    /// A whole node: SDS011 on its duty cycle, motion sensor, lamp, watchdog, control socket.
    private static func simulationRate() throws -> (secondsPerSecond: Double, days: Int) {
        let days = 90
        let start = now
        let sampleCount = try simulate { clock in
            try await samples(in: .days(days), on: clock)
        }
        let elapsed = now - start
        precondition(sampleCount >= days * 286, "only \(sampleCount) samples")
        return (Duration.days(days).inSeconds / elapsed, days)
    }

    private static let configuration = """
        {"detect": false, "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"},
                     {"name": "door", "type": "pir", "line": "GPIO17"}],
         "lights": {}, "watchdog": {}}
        """

    private static func samples(
        in duration: Duration,
        on clock: SimulatedClock
    ) async throws -> Int {
        let platform = SimulatedPlatform(clock: clock)
        let line = SimulatedSerialPort(SDS011Simulator(), clock: clock)
        platform.plug(line, at: "/dev/ttyUSB0")
        let dependencies = StationDependencies(
            platform: platform,
            logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() },
            seed: clock.seed,
            endProcess: { fatalError($0) }
        )
        let text = Array(configuration.utf8)
        let station = Station(
            try StationConfiguration.read(text, file: "bench"),
            in: dependencies
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await station.run() }
            group.addTask {
                try await clock.sleep(for: duration)
                station.requestStop()
            }
            try await group.waitForAll()
        }
        return station.status.budget.readingCount / 2
    }
}
