import ArgumentParser
import ClientSupport
import ControlProtocol
import Core

struct NearbyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearby",
        abstract: "Lists MQTT brokers and Home Assistants that announce themselves here.",
        discussion: """
            The search on the local network takes a second or two, and needs avahi-utils.

            Examples: roost target nearby
                      roost target nearby --json
            Exit codes: 0 done, 1 the search failed, 69 no courier answers.
            """
    )

    @OptionGroup var options: CourierOptions

    func run() throws {
        let report = try options.ask(FindNearby())
        if options.json {
            Output.line(try ControlCodec.line(report))
        } else {
            for server in report.items { show(server) }
            if report.omittedCount > 0 { Output.line("\(report.omittedCount) more are left out") }
            if let text = Self.text(report) { Output.line(text) }
        }
        if report.search == .failed { throw ExitCode(1) }
    }

    private func show(_ server: NearbyServer) {
        let kind =
            switch server.kind {
            case .homeAssistant: "Home Assistant"
            case .encryptedBroker: "MQTT broker, encrypted"
            case .broker: "MQTT broker"
            }
        Output.line("\(server.name)  \(kind) (\(server.host))")
        let local = server.isLocal ? " local=true" : ""
        Output.line("  roost target add NAME mqtt url=\(server.url)\(local)")
    }

    private static func text(_ report: NearbyReport) -> String? {
        switch report.search {
        case .noProgram: "the local network was not searched: install avahi-utils"
        case .noCourier, .off: "no courier runs, which would search"
        case .failed: "the search failed: \(report.why ?? "")"
        case .done: report.items.isEmpty ? "no broker and no Home Assistant was found" : nil
        }
    }
}
