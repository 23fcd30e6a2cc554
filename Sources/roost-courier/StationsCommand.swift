import ArgumentParser
import ClientSupport
import ControlProtocol
import Core

struct StationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stations",
        abstract: "Lists the owner's other stations, each with what it says of itself.",
        discussion: """
            Those of feeds, and those found on the local network where courier.json has \
            "stations": {}. The search takes a second or two.

            Examples: roost stations
                      roost stations --json
            Exit codes: 0 done, 1 the search failed, 69 no courier answers.
            """
    )

    @OptionGroup var options: CourierOptions

    func run() throws {
        let report = try options.ask(FindStations())
        if options.json {
            Output.line(try ControlCodec.line(report))
        } else {
            for station in report.items { show(station) }
            if report.omittedCount > 0 { Output.line("\(report.omittedCount) more are left out") }
            if let words = Self.text(report) { Output.line(words) }
        }
        if report.search == .failed { throw ExitCode(1) }
    }

    private func show(_ station: FoundStation) {
        Output.line("\(station.name)  \(station.url)" + (station.host.map { " (\($0))" } ?? ""))
        guard let facts = station.facts else {
            let words =
                switch station.state {
                case .needsToken: "says how it is with a token alone: name it as a feed"
                case .silent: "does not answer"
                case .foreign, .answers: "is no Roost that this one understands"
                }
            return Output.line("  \(words)" + (station.why.map { ": \($0)" } ?? ""))
        }
        Output.line("  \(facts.sentence)")
        var parts = facts.quantities
        if facts.hasLamp { parts.append("lamp") }
        if let visited = facts.visited { parts.append(visited ? "visited now" : "not visited") }
        if !parts.isEmpty { Output.line("  \(parts.joined(separator: ", "))") }
    }

    private static func text(_ report: StationsReport) -> String? {
        switch report.search {
        case .off:
            "the local network was not searched: write \"stations\": {} into courier.json"
        case .noProgram: "the local network was not searched: install avahi-utils"
        case .noCourier: "no courier runs, which would search"
        case .failed: "the search failed: \(report.why ?? "")"
        case .done: report.items.isEmpty ? "no other station was found" : nil
        }
    }
}
