import ArgumentParser
import ControlProtocol
import Testing

@testable import roost

@Suite struct UnknownCommandTests {
    @Test(arguments: [
        ("stat", "no command stat; did you mean status?"),
        ("stat --socket x", "no command stat; did you mean status?"),
        ("xyzzyxyzzy", "no command xyzzyxyzzy; see roost --help"),
        ("store plam", "roost store has no command plam; did you mean plan?"),
        ("alerts rulse", "roost alerts has no command rulse; did you mean rules?"),
        ("help stats", "no command stats; did you mean status?"),
    ])
    func namesTheNearest(line: String, message: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(UnknownCommand.message(words, of: Roost.self) == message)
    }

    @Test(arguments: ["", "status --chek", "store plan x", "alerts xyzzyxyzzy", "--version"])
    func leavesOtherMistakesAlone(line: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(UnknownCommand.message(words, of: Roost.self) == nil)
    }

    @Test func eachCommandIsInOneGroup() {
        let groups = Roost.configuration.groupedSubcommands
        #expect(groups.count == 5)
        let hidden = Roost.configuration.ungroupedSubcommands
        #expect(hidden.allSatisfy { !$0.configuration.shouldDisplay })
        let names = groups.flatMap(\.subcommands).map { $0._commandName }
        #expect(Set(names).count == names.count && names.count > 30)
    }
}
