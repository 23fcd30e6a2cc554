import ArgumentParser
import Profiles

/// What a command line means that names no command of a program.
enum UnknownCommand {
    /// The message for the first word that is no command; nil where each one is.
    ///
    /// A command that has a default one takes other words, too, and only a near one is a mistake.
    static func message(
        _ words: some Sequence<String>,
        of root: any ParsableCommand.Type
    ) -> String? {
        var (command, path) = (root, root._commandName)
        for word in words {
            let known = command.configuration.subcommands
            guard !known.isEmpty, !word.hasPrefix("-") else { return nil }
            guard word != "help" else { continue }
            if let next = known.first(where: { $0._commandName == word }) {
                (command, path) = (next, "\(path) \(word)")
                continue
            }
            let names = known.filter { $0.configuration.shouldDisplay }
                .map { $0._commandName }
            // A beginning is meant before a word that is only similar.
            let longer = names.filter { $0.hasPrefix(word) && word.count > 2 }
            let nearest =
                longer.min { $0.count < $1.count } ?? Spelling.nearest(to: word, among: names)
            guard nearest != nil || command.configuration.defaultSubcommand == nil else {
                return nil
            }
            let shown = word.prefix(36)
            let next = nearest.map { "did you mean \($0)?" } ?? "see \(path) --help"
            let isTop = path == root._commandName
            return "\(isTop ? "no command \(shown)" : "\(path) has no command \(shown)"); \(next)"
        }
        return nil
    }
}
