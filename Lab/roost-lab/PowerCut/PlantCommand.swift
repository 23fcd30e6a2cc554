import ArgumentParser
import ClientSupport
import Glibc
import PowerCutWorkloads

/// Writes a store with each cause of a gap.
struct PlantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plant",
        abstract: "Writes a store with a stretch of each cause that a gap can have.",
        discussion: """
            Some causes no life of minutes has: a ring that has turned, a card that stalled. Look at
            the store with `roost ledger --store FOLDER` or `roost web --store FOLDER`.

            Example: roost-lab plant /tmp/planted
            """
    )

    @Argument(help: "A new folder.")
    var folder: String

    @Flag(help: "Print JSON instead of words.")
    var json = false

    func run() throws {
        guard mkdir(folder, 0o755) == 0 else {
            let why = String(cString: strerror(errno))
            throw ClientFailure(
                message: "\(folder) cannot be made: \(why); name a new folder",
                exitCode: 1
            )
        }
        try PlantedStore.write(to: folder)
        Output.line(json ? "{\"folder\":\"\(folder)\"}" : "the store is in \(folder)")
    }
}
