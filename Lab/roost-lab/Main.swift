import ArgumentParser
import ClientSupport
import Core
import Glibc
import Station

/// Commands for developers and the curious; a station does not need them.
struct RoostLab: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost-lab",
        abstract: "Simulates lives of a station, and damages stores to see what survives.",
        discussion: """
            Months in seconds:     roost-lab simulate --scenario everything --for 30d --seed 7
            Every power cut:       roost-lab cuts store --every 41
            Every damaged page:    roost-lab rot --kind page
            Spoilt bytes and files: roost-lab fuzz
            Every end of a session: roost-lab sessions
            Every cause of a gap:  roost-lab plant /tmp/planted

            Exit codes: 0 every promise was kept, 1 one was not, 64 wrong usage.
            """,
        version: RoostVersion.text,
        subcommands: [
            SimulateCommand.self, CutsCommand.self, StatesCommand.self, RotCommand.self,
            YearsCommand.self, PlantCommand.self, FuzzCommand.self, SessionsCommand.self,
        ]
    )
}

@main
enum Main {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try RoostLab.parseAsRoot()
            try command.run()
        } catch let failure as ClientFailure {
            Output.error(failure.message)
            exit(failure.exitCode)
        } catch {
            RoostLab.exit(withError: error)
        }
    }
}
