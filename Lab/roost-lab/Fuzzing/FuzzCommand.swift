import ArgumentParser
import ClientSupport
import ControlProtocol
import Fuzzing

/// Feeds spoilt input to readers of files and bytes.
struct FuzzCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fuzz",
        abstract: "Has decoders and profiles read what is spoilt.",
        discussion: """
            Each input has a seed, the one before plus 1: a failure prints its own and the command
            that repeats it. No reader may crash, take what is not good, or do harm with it.

            Exit codes: 0 nothing was wrong, 1 something was, 64 wrong usage.

            Examples: roost-lab fuzz
                      roost-lab fuzz decoders --count 1000000
                      roost-lab fuzz profiles --seed 17 --count 1
                      roost-lab fuzz profiles schema --json
            """
    )

    @Argument(help: "decoders, profiles or schema; all when none is named.")
    var kinds: [String] = []

    @Option(help: "Seed of the first input; each kind has its own when none is named.")
    var seed: UInt64?

    @Option(help: "Inputs for each reader; some seconds' worth when none is named.")
    var count: UInt64?

    @Flag(help: "Print JSON, one line for each reader.")
    var json = false

    private struct Result: Encodable {
        let kind: String
        let reader: String
        let seed: UInt64
        let count: UInt64
        let takenCount: Int
        let failedSeed: UInt64?
        let fault: String?
    }

    func validate() throws {
        for kind in kinds where FuzzKind(rawValue: kind) == nil {
            let known = FuzzKind.allCases.map { "\($0) (\($0.about))" }.joined(separator: ", ")
            throw ValidationError("there is no kind \(kind); there are \(known)")
        }
        guard (1...1_000_000_000).contains(count ?? 1) else {
            throw ValidationError("--count is 1 to 1000000000")
        }
        guard seed ?? 0 <= UInt64.max - 1_000_000_000 else {
            throw ValidationError("--seed is out of range")
        }
    }

    func run() throws {
        let chosen = kinds.isEmpty ? FuzzKind.allCases : kinds.compactMap(FuzzKind.init)
        var isRight = true
        for kind in chosen {
            for reader in try kind.workloads() { isRight = try play(kind, reader) && isRight }
        }
        guard isRight else { throw ExitCode(1) }
    }

    private func play(_ kind: FuzzKind, _ reader: any FuzzWorkload) throws -> Bool {
        let (first, count) = (self.seed ?? kind.firstSeed, self.count ?? kind.usualCount)
        let line = try ProgressLine()
        defer { line.finish() }
        var failed: (seed: UInt64, fault: String)?
        for seed in first..<first + count {
            if let fault = try reader.fault(seed: seed) {
                failed = (seed, fault)
                break
            }
            line.show("fuzz: \(kind) \(reader.name), \(seed - first) of \(count)")
        }
        // Among so many inputs some must be accepted: else nothing was tried.
        if failed == nil, count >= 100, reader.takenCount == 0 {
            failed = (first, "not one input was read as good")
        }
        line.finish()
        let result = Result(
            kind: kind.rawValue,
            reader: reader.name,
            seed: first,
            count: count,
            takenCount: reader.takenCount,
            failedSeed: failed?.seed,
            fault: failed?.fault
        )
        if json {
            Output.line(try ControlCodec.line(result))
        } else {
            Output.line(
                "\(kind) \(reader.name): \(count) from seed \(first), "
                    + "\(reader.takenCount) still good, \(failed == nil ? "nothing" : "1") wrong"
            )
        }
        guard let failed else { return true }
        Output.error(
            "\(kind) \(reader.name), seed \(failed.seed): \(failed.fault)\n    to see it again: "
                + "roost-lab fuzz \(kind) --seed \(failed.seed) --count 1"
        )
        return false
    }
}
