import ArgumentParser
import Configuration
import Core
import Doctor
import Glibc
import LinuxIO
import LinuxPlatform
import Logging
import Profiles
import Station

struct Daemon: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roostd",
        abstract: "Runs a Roost station until it is asked to stop.",
        discussion: """
            Reads its configuration, finds the devices in it and those that are plugged in, \
            supervises and records them. Without a configuration it uses what is plugged in. \
            SIGTERM and SIGINT stop in order within 20 s: sensors asleep, lamps off. \
            SIGHUP reads the configuration again and restarts only what changed. \
            Under systemd it sends READY, and WATCHDOG while everything makes progress.

            Examples: roostd --config roost.json --check
                      roostd --config roost.json --verbose

            Exit codes: 0 stopped in order, 1 failed, 64 wrong usage, 70 something hung, \
            75 another process has the socket, the store or its mirror, \
            78 the configuration is wrong.
            """,
        version: RoostVersion.text
    )

    @Option(
        help: ArgumentHelp(
            "The configuration file; docs/reference/configuration.md has every key. "
                + "(default: \(StationFiles.standardPath), if it is there)"
        )
    )
    var config: String?

    @Option(help: "A folder of your own profiles, in place of the configuration's.")
    var profiles: String?

    @Option(
        help: "A file that lists adapters as `udevadm info` prints them, in place of udev's word."
    )
    var adapters: String?

    @Option(
        help: ArgumentHelp(
            "A folder with sys, dev, run and var of I2C buses, in place of this machine's.",
            visibility: .hidden
        )
    )
    var buses: String?

    @Flag(help: "Only say whether the configuration is right.")
    var check = false

    @Flag(help: "Log what happens, not only what matters.")
    var verbose = false

    func run() throws {
        let files = StationFiles(path: config, profiles: profiles)
        let contents: StationFiles.Contents
        do {
            contents = try files.read()
        } catch {
            Terminal.error("\(error)")
            throw ExitCode(78)
        }
        if check {
            // A station starts without a broken profile; `--check` reports it.
            for error in contents.catalog.problems { Terminal.error("\(error)") }
            guard contents.catalog.problems.isEmpty else { throw ExitCode(78) }
            let count = contents.configuration.devices.count
            if let note = contents.note { Terminal.line(note) }
            Terminal.line("\(files.path): right, \(count) device\(count == 1 ? "" : "s")")
            return
        }
        let logger = Logger(label: "roostd", level: verbose ? .info : .notice)
        do {
            let doctor = DoctorInside(configuration: files.path)
            let process = StationProcess(
                files,
                contents,
                logger: logger,
                standIns: StandIns(adapters: adapters, buses: buses),
                start: { CardStart.findings(DoctorTree(root: "/")) },
                examine: { doctor.report() }
            )
            try process.run()
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
