import ArgumentParser
import ClientSupport
import Core
import CourierIO
import RoostCourier

struct FetchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Writes a file of an https address to standard output.",
        discussion: """
            `roost update install https://…` reads an update by it.

            Example: roost-courier fetch https://example.org/roost.update > roost.update
            """
    )

    @Argument(help: "An address of https://.")
    var address: String

    @Option(help: "How long all of it may take.")
    var within = DurationArgument(.seconds(Download.secondsMax))

    func run() throws {
        guard address.hasPrefix("https://") else {
            throw ValidationError("\(address) is no address of https://")
        }
        let seconds = Int(within.seconds.rounded(.up))
        guard seconds >= 1 else { throw ValidationError("--within is a second or more") }
        do throws(NetworkFailure) {
            try Download.run(address, to: 1, within: seconds)
        } catch {
            throw ClientFailure(message: "\(address): \(error)", exitCode: 1)
        }
    }
}
