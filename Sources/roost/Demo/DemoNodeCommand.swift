import ArgumentParser
import Core
import HardwareIO
import LinuxIO
import LinuxPlatform
import Logging
import SimulationKit
import Station
import Store

/// The demo's node: everything real but the pins.
struct DemoNodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo-node",
        shouldDisplay: false
    )

    @Option var config: String
    @Option var seed: UInt64 = 1

    func run() throws {
        let files = StationFiles(path: config)
        let logger = Logger(label: "roost demo", level: .notice)
        let process = StationProcess(files, try files.read(), logger: logger)
        let seed = seed
        let visitors = Visitors()
        try process.run(
            on: { linux, loop in
                let gpio = SimulatedGPIO(clock: loop.clock)
                visitors.watch(gpio)
                return DemoPlatform(linux: linux, gpio: gpio)
            },
            until: { loop in
                let standardInput = try StandardInput(on: loop)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await standardInput.waitForEnd() }
                    group.addTask { try await visitors.come(seed: seed, on: loop.clock) }
                    defer { group.cancelAll() }
                    try await group.next()
                }
            }
        )
    }
}

/// The real machine with simulated pins.
private struct DemoPlatform: Platform {
    let linux: LinuxPlatform
    let gpio: SimulatedGPIO

    var clock: any NodeClock { linux.clock }
    var figures: ProcessCosts { linux.figures }
    var fetcher: any HTTPFetcher { linux.fetcher }
    var boardModel: String? { linux.boardModel }

    func openSerialPort(
        _ path: String,
        _ settings: SerialSettings
    ) async throws -> any SerialPort {
        try await linux.openSerialPort(path, settings)
    }

    func waitForPath(_ path: String) async throws { try await linux.waitForPath(path) }

    func requestLines(_ request: LineRequest) async throws -> any GPIOLines {
        try gpio.requestLines(request)
    }

    func gpioChips() -> [GPIOChipReport] { gpio.chips }

    func openLetters(_ path: String) async throws -> any LetterOutput {
        try await linux.openLetters(path)
    }

    func hotplugMonitor() async throws -> any HotplugMonitor { try await linux.hotplugMonitor() }

    func openWatchdog(
        path: String,
        timeout: Duration
    ) async throws -> any WatchdogDevice {
        throw WatchdogError.absent(path: path)  // A demonstration must not reset the machine.
    }

    func onDisk<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await linux.onDisk(body)
    }

    func openJournal(
        _ path: String,
        blockSize: Int,
        blockCount: Int
    ) throws -> any BlockStorage {
        try linux.openJournal(path, blockSize: blockSize, blockCount: blockCount)
    }

    func files(in folder: String) -> any FolderFiles { linux.files(in: folder) }

    func arrivingFile(in folder: String) -> any ArrivingFile { linux.arrivingFile(in: folder) }

    func claimStore(_ folder: String) throws -> any StoreClaim { try linux.claimStore(folder) }

    func openMirror(
        of store: StoreID,
        byteCount: Int
    ) throws(MirrorError) -> any SharedMemory {
        // The demo's store ends with it, so nothing has to outlive the process.
        SimulatedMemory().open("\(store).tail", byteCount: byteCount)
    }

    func holder(of path: String) -> String? { linux.holder(of: path) }

    func listen(_ path: String) async throws -> any LineListener { try await linux.listen(path) }
    var resetProblem: ResetError? { ResetError("the demo has no owner") }
    func requestReset() throws(ResetError) { throw ResetError("the demo has no owner") }
    func requestPowerOff() throws(PowerOffError) {
        throw PowerOffError("a demo does not shut the machine down")
    }

    func notify(_ state: ServiceState) {}
}
