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
    ///
    /// A button's has no such file, which is as an empty one.
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
        let text = try wanted.flatMap { try Files.readIfThere($0, limit: 64) } ?? []
        let wish = String(decoding: text, as: UTF8.self)
        let store = try Self.storeFolder(StationFiles.standardPath)
        let journal = try Self.journalPath(StationFiles.standardPath)
        for service in Self.services { _ = try systemctl("stop", service) }
        do throws(FileError) {
            let reset = FactoryReset(store: store, journal: journal)
            for left in try reset.run(history: history || wish.hasPrefix("history")) {
                Output.error(left)
            }
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
        try configured(path)?.folder ?? FactoryReset.standardStore
    }

    /// The journal's path that a `roost.json` names; nil where it names none.
    static func journalPath(_ path: String) throws -> String? {
        guard case .path(let path)? = try configured(path)?.journal else { return nil }
        return path
    }

    private static func configured(_ path: String) throws -> StoreConfiguration? {
        guard access(path, F_OK) == 0 else { return nil }
        return try StationFiles(path: path, profiles: nil).read().configuration.store
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
