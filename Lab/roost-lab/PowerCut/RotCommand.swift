import ArgumentParser
import ClientSupport
import ControlProtocol
import Glibc
import PowerCutWorkloads

/// Lets the card of a store rot at every place in turn.
struct RotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rot",
        abstract: "Damages a store at every place in turn; see scripts/check rot.",
        discussion: """
            Damage costs at most what lay on the damaged bytes, and the ledger names it.

            Exit codes: 0 nothing else was lost, 1 something was, 64 wrong usage.

            Examples: roost-lab rot
                      roost-lab rot --kind page --stride 7
                      roost-lab rot --seed 3 --kind log --from 17 --count 1
                      roost-lab rot --stride 7 --json
            """
    )

    @Option(help: "Of everything that is random.")
    var seed: UInt64 = 0

    @Option(help: "header, page, cut, log or refusal; all of them by default.")
    var kind: String?

    @Option(help: "The first place.")
    var from = 0

    @Option(help: "How many places; with --count 1 one is played alone.")
    var count: Int?

    @Option(help: "Each so many places.")
    var stride = 1

    @Option(help: "Where the folder is made.")
    var root = "/dev/shm"

    @Flag(help: "Print JSON, one line for each kind.")
    var json = false

    private struct Result: Encodable {
        let kind: String
        let seed: UInt64
        let placeCount: Int
        let failureCount: Int
    }

    func validate() throws {
        guard stride > 0, from >= 0, kind.map({ StoreRot.Kind(rawValue: $0) != nil }) ?? true else {
            throw ValidationError("--kind is header, page, cut, log or refusal; --stride from 1 on")
        }
    }

    func run() throws {
        let rot = try StoreRot(seed: seed, root: root)
        let kinds =
            kind.flatMap { StoreRot.Kind(rawValue: $0) }.map { [$0] } ?? StoreRot.Kind.allCases
        let line = try ProgressLine()
        defer { line.finish() }
        var failures = 0
        for kind in kinds {
            let end = min(rot.count(of: kind), count.map { from + $0 } ?? .max)
            var (played, failed) = (0, 0)
            for place in Swift.stride(from: from, to: end, by: stride) {
                played += 1
                line.show("rot: \(kind) \(place) of \(end)")
                do { try rot.play(kind, place) } catch {
                    failed += 1
                    Output.error(
                        "\(kind) \(place): \(error)\n    to see it again: roost-lab rot "
                            + "--seed \(seed) --kind \(kind) --from \(place) --count 1"
                    )
                }
            }
            let result = Result(
                kind: kind.rawValue,
                seed: seed,
                placeCount: played,
                failureCount: failed
            )
            try Output.line(
                json
                    ? ControlCodec.line(result)
                    : "rot: \(kind): \(played) places, seed \(seed), \(failed) failures"
            )
            failures += failed
        }
        guard failures == 0 else { throw ExitCode.failure }
    }
}
