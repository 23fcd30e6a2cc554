import ArgumentParser

@testable import roost

/// The commands of `roost` by what a person wants, as its own help has them.
enum CommandReference {
    static var text: String {
        Roost.configuration.groupedSubcommands.map { group in
            let all = group.subcommands.flatMap { rows($0, after: "roost") }
            return "### \(group.name)\n\n"
                + MarkdownTable("Command", "Does", rows: all).text
        }.joined(separator: "\n\n")
    }

    private static func rows(
        _ command: any ParsableCommand.Type,
        after path: String
    ) -> [[String]] {
        let configuration = command.configuration
        guard configuration.shouldDisplay else { return [] }
        let words = "\(path) \(command._commandName)"
        let abstract = configuration.abstract.replacing("|", with: "\\|")
        return [["`\(words)`", abstract]]
            + configuration.subcommands.flatMap { rows($0, after: words) }
    }
}
