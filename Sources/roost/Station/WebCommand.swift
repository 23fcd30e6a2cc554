import ArgumentParser
import ClientSupport
import Glibc

struct WebCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web",
        abstract: "Serves the dashboard of a station, or of a card's history.",
        discussion: """
            Runs `roost-web`, which systemd starts by itself on an installed station. Ctrl-C ends \
            it. With --store it shows any store without a station: the card of a Pi that died. \
            Without accounts (--open, --store) only this computer can reach it; to see it from \
            another one: ssh -L 8088:127.0.0.1:8088 pi@balcony.local

            Examples: roost web
                      roost web --open
                      roost web --store /mnt/card/store
                      roost web --listen 0.0.0.0:8088
            Exit codes: 0 ended, 1 failed, 64 wrong usage, 69 roost-web is not installed.
            """
    )

    @Option(help: "A store's folder to show without a station.")
    var store: String?

    @Option(help: "The station's control socket (or the environment variable ROOST_SOCKET).")
    var socket: String?

    @Option(help: "Address and port.")
    var listen = "127.0.0.1:8088"

    @Option(help: "The folder of accounts and sessions.")
    var state: String?

    @Flag(help: "No accounts, for this computer alone.")
    var open = false

    func run() throws {
        let program = try SisterProgram.path("roost-web")
        var arguments = ["roost-web", "--listen", listen]
        if let store { arguments += ["--store", store] }
        if let state { arguments += ["--state", state] }
        if open { arguments.append("--open") }
        arguments += ["--socket", try ClientOptions.reaching(socket).socketPath]
        var vector = arguments.map { strdup($0) }
        vector.append(nil)
        execv(program, vector)
        throw ClientFailure(
            message: "\(program): \(String(cString: strerror(errno)))",
            exitCode: unavailableExitCode
        )
    }
}
