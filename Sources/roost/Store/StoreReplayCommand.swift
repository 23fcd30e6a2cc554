import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Glibc
import HardwareIO
import Store
import StoreQueries

struct StoreReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Runs a recorded series through the real store, with every write and sync.",
        discussion: """
            The series is two little-endian 16 bit numbers a row: PM2.5, PM10 in tenths of a \
            µg/m³. Time is virtual: a day needs seconds. INTO is a new folder, or a block device \
            for the journal; then --history names the history's file. What reached the device is \
            what the kernel counted since the empty store was made, file system and all. A file \
            system also writes by timers in real time: --pause gives them their moments. --settle \
            1 does at once after each block what they do within half a minute; more blocks stand \
            for a longer interval of ext4's own commits.

            Examples: roost store replay day-1hz.u16 --into /mnt/card/store
                      roost store replay day-1hz.u16 --into /tmp/year --repeat 365
                      roost store replay day-1hz.u16 --into /dev/loop7 --history /tmp/h.db
            """
    )
    @Argument(help: "The series.")
    var file: String

    @Option(help: "A new folder, or a block device.")
    var into: String

    @Option(help: "The history's file when the journal is on a device.")
    var history: String?

    @Option(help: "Between two rows.")
    var interval = DurationArgument(.seconds(1))

    @Option(help: "At most so much waits in memory.")
    var window = DurationArgument(.seconds(600))

    @Option(help: "Between two transactions of the history.")
    var take = DurationArgument(.hours(24))

    @Option(help: "Bytes of a journal block.")
    var block = 4_096

    @Option(name: .customLong("repeat"), help: "How many times the series is run through.")
    var repeats = 1

    @Option(help: "Real time to wait after each block, so that the file system's timers run.")
    var pause: DurationArgument?

    @Option(help: "Bring the file system to rest after every so many blocks, as its timers would.")
    var settle: Int?

    @Option(help: "MiB of the history's file.")
    var megabytes = 64

    @Option(help: "Wall time of the first row.")
    var start = TimeArgument(WallTime(nanoseconds: 1_767_225_600_000_000_000))

    @Option(help: "The device that the samples are stored under.")
    var device = "replay"

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func validate() throws {
        try BlockSize.validate(block)
        guard (1...100_000).contains(repeats) else {
            throw ValidationError("--repeat is 1 to 100000, not \(repeats)")
        }
        guard StorePlan.megabytesRange.contains(megabytes) else {
            throw ValidationError("--megabytes is 4 to 65536, not \(megabytes)")
        }
        guard settle.map({ $0 >= 1 }) ?? true else {
            throw ValidationError("--settle is 1 block at least")
        }
        guard interval.duration >= .milliseconds(100) else {
            throw ValidationError("--interval is 100ms at least: ticks are tenths of a second")
        }
    }

    func run() throws {
        let rows = try SeriesFile.rows(file)
        let place = try place()
        let folder = StoreFolder(path: into)
        let report = try withStore(folder) {
            let progress = try ProgressLine()
            defer { progress.finish() }
            var replay = try StoreReplay(place, settings)
            return try replay.run(rows, times: repeats, progress)
        }
        if json {
            Output.line(try ControlCodec.line(report))
        } else {
            for line in report.lines { Output.line(line) }
        }
    }

    private var settings: StoreReplay.Settings {
        var journal = JournalPlan()
        journal.blockSize = block
        journal.lossWindow = window.duration
        journal.checkpointInterval = take.duration
        let stream = StoreLoad.Stream(channelCount: 2, interval: interval.duration)
        let load = StoreLoad(streams: [stream])
        return StoreReplay.Settings(
            plan: StorePlan(.megabytes(megabytes), load: load, journal: journal),
            interval: interval.duration,
            pause: pause?.duration,
            blocksPerSettling: settle,
            start: start.wall,
            device: device
        )
    }

    /// Where journal and history go; neither may hold anything yet.
    private func place() throws -> StoreReplay.Place {
        var status = stat()
        let isThere = stat(into, &status) == 0
        if isThere, status.st_mode & S_IFMT == S_IFBLK {
            guard let history else {
                throw ValidationError("a device holds the journal alone; name --history FILE too")
            }
            try refuse(history)
            return StoreReplay.Place(journal: into, isDevice: true, history: history)
        }
        if isThere, status.st_mode & S_IFMT != S_IFDIR {
            throw ClientFailure(
                message: "\(into): neither a folder nor a block device",
                exitCode: 1
            )
        }
        if !isThere, mkdir(into, 0o755) != 0 {
            throw ClientFailure(
                message: "\(into): cannot be made, errno \(errno); make its parent folder",
                exitCode: 1
            )
        }
        let folder = StoreFolder(path: into)
        let history = history ?? folder.historyPath
        try refuse(folder.journalPath)
        try refuse(history)
        return StoreReplay.Place(journal: folder.journalPath, isDevice: false, history: history)
    }

    private func refuse(_ path: String) throws {
        guard access(path, F_OK) == 0 else { return }
        let message = "\(path): is there already; a replay needs a new place"
        throw ClientFailure(message: message, exitCode: 1)
    }
}

/// A recorded series of PM2.5 and PM10.
enum SeriesFile {
    /// Bytes of a series at most: 64 MiB, half a year at 1 Hz.
    static let byteCountMax = 64 << 20

    static func rows(_ path: String) throws -> [(UInt16, UInt16)] {
        let bytes = try FileBytes.read(path, limit: byteCountMax)
        guard !bytes.isEmpty, bytes.count % 4 == 0 else {
            let message =
                "\(path): has \(bytes.count) bytes; a series has four for each row: "
                + "PM2.5 and PM10 in tenths, 16 bits each, little-endian"
            throw ClientFailure(message: message, exitCode: 1)
        }
        return rows(bytes)
    }

    static func rows(_ bytes: [UInt8]) -> [(UInt16, UInt16)] {
        func number(_ at: Int) -> UInt16 {
            let (low, high) = (UInt16(bytes[at]), UInt16(bytes[at + 1]))
            return low | high << 8
        }
        return stride(from: 0, to: bytes.count - 3, by: 4).map { (number($0), number($0 + 2)) }
    }
}
