import ArgumentParser
import ClientSupport
import ControlProtocol
import Glibc
import PowerCutWorkloads

/// Compares the sizes of the store's files after each month of simulated years.
struct YearsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "years",
        abstract: "Compares the sizes of the store's files after each of many months."
    )

    @Option(help: "How many years.")
    var years = 10

    @Option(help: "Seconds between two samples.")
    var interval = 1

    @Option(help: "MiB of the history.")
    var megabytes = 64

    @Option(help: "Of the weather.")
    var seed: UInt64 = 0

    @Option(help: "Where the folder is made.")
    var root = "/dev/shm"

    @Flag(help: "One JSON object at the end, and nothing before.")
    var json = false

    /// The output of `--json`.
    private struct Report: Encodable {
        let months: Int
        let intervalSeconds: Int
        let megabytes: Int
        let seed: UInt64
        var sampleCount = 0
        /// Bytes of each file after the last month.
        var byteCounts: [String: Int] = [:]
        let isConstant: Bool
        /// Why not; nil when the sizes were the same.
        var why: String?
    }

    func validate() throws {
        guard (1...100).contains(years) else { throw ValidationError("--years is 1 to 100") }
        guard (1...600).contains(interval) else { throw ValidationError("--interval is 1 to 600") }
    }

    func run() throws {
        let folder = "\(root)/roost-years-\(getpid())"
        mkdir(folder, 0o755)
        defer {
            for name in ["history.db", "history.db-wal", "history.db-shm", "journal.ring"] {
                unlink("\(folder)/\(name)")
            }
            rmdir(folder)
        }
        var store = StoreYears(
            folder,
            intervalTenths: Int64(interval) * 10,
            megabytes: megabytes,
            seed: seed
        )
        var (months, samples, byteCounts) = (0, 0, [String: Int]())
        var last = ""
        func report(_ error: (any Error)? = nil) throws {
            var report = Report(
                months: months,
                intervalSeconds: interval,
                megabytes: megabytes,
                seed: seed,
                isConstant: error == nil
            )
            (report.sampleCount, report.byteCounts) = (samples, byteCounts)
            report.why = error.map { "\($0)" }
            Output.line(try ControlCodec.line(report))
        }
        do {
            try store.run(months: years * 12) { month in
                (months, samples) = (month.number, month.samples)
                byteCounts = month.byteCounts
                guard !json else { return }
                let sizes = month.byteCounts.sorted { $0.key < $1.key }
                let text = sizes.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
                if text != last || months % 12 == 0 {
                    print("  month \(months): \(text); \(month.samples) samples")
                    fflush(nil)
                }
                last = text
            }
        } catch {
            if json {
                try report(error)
                throw ExitCode.failure
            }
            print("years: NOT CONSTANT after month \(months): \(error)")
            throw ExitCode.failure
        }
        guard !json else { return try report() }
        print(
            "years: \(months) months, a sample every \(interval) s, sizes the same to the byte,",
            "seed \(seed)"
        )
    }
}
