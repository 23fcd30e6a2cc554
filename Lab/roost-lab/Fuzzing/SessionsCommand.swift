import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Devices
import Fuzzing

/// Ends sessions with sensors at many moments.
struct SessionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Ends sessions with sensors at many moments, under every fault.",
        discussion: """
            Whether it is stopped in order or left at once, the part has to be at rest afterwards:
            else its laser wears out while nobody asks it.

            Exit codes: 0 all were at rest, 1 one was not, 64 wrong usage.

            Examples: roost-lab sessions
                      roost-lab sessions --seed 7 --every 997
                      roost-lab sessions --driver sds011 --at 12345
                      roost-lab sessions --json
            """
    )

    @Option(help: "Only this driver.")
    var driver: String?

    @Option(help: "Milliseconds between two moments of the first 400 s.")
    var every = 3_571

    @Option(help: "Moves all moments by so many milliseconds.")
    var seed: UInt64 = 0

    @Option(help: "Only this moment, in milliseconds after the start.")
    var at: Int?

    @Flag(help: "Print JSON, one line for each driver and mode.")
    var json = false

    private struct Result: Encodable {
        let driver: String
        let mode: String
        let endCount: Int
        let failures: [String]
    }

    func validate() throws {
        if let driver, !SessionEnds.drivers.contains(driver) {
            let known = SessionEnds.drivers.joined(separator: ", ")
            throw ValidationError("no part of \(driver) can rest; those of \(known) can")
        }
        guard (1...400_000).contains(every) else {
            throw ValidationError("--every is 1 to 400000")
        }
        guard (0...36_000_000).contains(at ?? 0) else {
            throw ValidationError("--at is 0 to 36000000")
        }
    }

    private var moments: [Int] {
        if let at { return [at] }
        return Array(stride(from: Int(seed % UInt64(every)), through: 400_000, by: every))
    }

    func run() throws {
        var isRight = true
        for driver in driver.map({ [$0] }) ?? SessionEnds.drivers {
            for mode in SessionEnds.Mode.allCases {
                isRight = try play(driver, mode) && isRight
            }
        }
        guard isRight else { throw ExitCode(1) }
    }

    private func play(_ driver: String, _ mode: SessionEnds.Mode) throws -> Bool {
        let line = try ProgressLine()
        defer { line.finish() }
        let ends = try SessionEnds(driver: driver, mode.mode)
        var (failures, count) = ([String](), 0)
        for fault in SessionEnds.faults {
            let condition = fault?.rawValue ?? "well"
            for moment in moments {
                line.show("sessions: \(driver) \(mode) \(condition), \(moment) ms")
                for way in SessionEnds.Way.allCases {
                    count += 1
                    let complaint = try ends.complaint(
                        way,
                        at: .milliseconds(moment),
                        under: fault
                    )
                    guard let complaint else { continue }
                    let place = "\(driver) \(mode) \(condition), \(way) after \(moment) ms"
                    failures.append("\(place): \(complaint)")
                    Output.error(
                        "\(place): \(complaint)\n    to see it again: "
                            + "roost-lab sessions --driver \(driver) --at \(moment)"
                    )
                }
            }
        }
        line.finish()
        if json {
            let result = Result(
                driver: driver,
                mode: mode.rawValue,
                endCount: count,
                failures: failures
            )
            Output.line(try ControlCodec.line(result))
        } else {
            Output.line("\(driver) \(mode): \(count) ends, \(failures.count) wrong")
        }
        return failures.isEmpty
    }
}
