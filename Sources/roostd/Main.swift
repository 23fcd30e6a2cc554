import ArgumentParser
import Glibc
import LinuxIO
import LinuxPlatform
import Logging
import Node

struct Daemon: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roostd",
        abstract: "Runs a Roost station until it is told to stop.",
        discussion: """
            Reads its configuration, finds the devices in it, supervises and records them.
            SIGTERM and SIGINT stop in order within 10 s: sensors asleep, lamps off.
            SIGHUP reads the configuration again and restarts only what changed.
            Under systemd it tells READY, and WATCHDOG while everything makes progress.

            Examples: roostd --config roost.json --check
                      roostd --config roost.json --verbose

            Exit codes: 0 stopped in order, 1 failed, 64 wrong usage, 70 something hung,
            75 another instance runs, 78 the configuration is wrong.
            """,
        version: roostVersion
    )

    @Option(help: "The configuration file; every key is described in README.")
    var config = "/etc/roost/roost.json"

    @Flag(help: "Only say whether the configuration is right.")
    var check = false

    @Flag(help: "Log what happens, not only what matters.")
    var verbose = false

    func run() throws {
        let configuration: StationConfiguration
        do {
            configuration = try ConfigurationFile.read(config)
        } catch {
            Terminal.error("\(error)")
            throw ExitCode(78)
        }
        if check {
            Terminal.line("\(config): right, \(configuration.devices.count) devices")
            return
        }
        let logger = Logger(label: "roostd", level: verbose ? .info : .notice)
        do {
            try StationProcess(configuration, path: config, logger: logger).run()
        } catch let refusal as InstanceRefused {
            Terminal.error("\(refusal)")
            throw ExitCode(75)
        } catch {
            Terminal.error("\(error)")
            throw ExitCode(1)
        }
    }
}

@main
enum Main {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        Daemon.main()
    }
}
