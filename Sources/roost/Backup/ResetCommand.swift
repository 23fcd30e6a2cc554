import ArgumentParser
import ClientSupport
import Configuration
import FileIO
import Glibc
import LinuxPlatform
import ProvisioningIO

struct ResetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Gives the station away: removes people, settings, secrets and pictures.",
        discussion: """
            The services stop meanwhile; an image restarts, and the page makes a new owner. What \
            was measured stays without --history, and roost.json in any case. Write down or back \
            up first what you want to keep: `roost backup`.

            Examples: sudo roost reset
                      sudo roost reset --history --yes
            Exit codes: 0 done, 1 refused, 64 wrong usage.
            """
    )
    @Flag(help: "Also remove what was measured.")
    var history = false

    @Flag(help: "Do not ask.")
    var yes = false

    /// The dashboard's wish; `history` in it is as the flag.
    @Option(help: .hidden)
    var wanted: String?

    private static let services = [
        "roost-web.socket", "roost-web.service", "roost-courier.service", "roost-eyes.service",
        "roostd.service",
    ]

    func run() throws {
        guard geteuid() == 0 else {
            throw ClientFailure(message: "only root may do this: sudo roost reset", exitCode: 1)
        }
        if !yes {
            Output.write("All people, settings, secrets and pictures go. Type yes: ", to: 2)
            guard readLine()?.lowercased() == "yes" else {
                throw ClientFailure(message: "nothing was removed", exitCode: 1)
            }
        }
        let text = try wanted.map { try FileBytes.read($0, limit: 64) } ?? []
        let wish = String(decoding: text, as: UTF8.self)
        let store = try Self.storeFolder(StationFiles.standardPath)
        for service in Self.services { _ = try systemctl("stop", service) }
        do throws(FileError) {
            try FactoryReset(store: store).run(history: history || wish.hasPrefix("history"))
        } catch {
            start()
            throw ClientFailure(message: "not everything is removed: \(error)", exitCode: 1)
        }
        Output.line("people, settings, secrets and pictures are removed")
        if ImageMachine() != nil { try UpdateRestart.now() }
        start()
    }

    /// The store's folder by a `roost.json`, which need not be there.
    static func storeFolder(_ path: String) throws -> String {
        guard access(path, F_OK) == 0 else { return FactoryReset.standardStore }
        let configuration = try StationFiles(path: path, profiles: nil).read().configuration
        return configuration.store?.folder ?? FactoryReset.standardStore
    }

    private func start() {
        for service in Self.services.reversed() where service != "roost-web.service" {
            if (try? systemctl("is-enabled", service)) == "enabled" {
                _ = try? systemctl("start", service)
            }
        }
    }

    private func systemctl(_ verb: String, _ unit: String) throws -> String {
        try ChildProgram.output(of: ["/usr/bin/systemctl", verb, unit])
            .split(separator: "\n").first.map(String.init) ?? ""
    }
}
