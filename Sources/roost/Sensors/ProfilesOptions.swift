import ArgumentParser
import ClientSupport
import Devices
import LinuxPlatform
import Profiles

/// Where the owner's profiles are, and how to answer.
struct ProfilesOptions: ParsableArguments {
    @Option(help: "The folder of your own profiles.")
    var profiles = ProfileCatalog.standardFolder

    @Flag(help: "Print JSON instead of words.")
    var json = false

    /// Reads all profiles; faults of a file go to standard error.
    func catalog() -> ProfileCatalog {
        let files = ProfileFolder.files(profiles)
        let catalog = ProfileCatalog(overlay: files, reader: .checking)
        for note in catalog.notes { Output.error(note) }
        for line in catalog.problems.flatMap(\.lines) { Output.error(line) }
        return catalog
    }

    /// - Throws: `ClientFailure` with the id that was probably meant.
    func profile(_ id: String) throws -> Profile {
        let catalog = catalog()
        if let profile = catalog.profile(id) { return profile }
        let ids = catalog.profiles.map(\.id)
        let hint = Spelling.nearest(to: id, among: ids).map { "; did you mean \($0)?" }
        let all = "; roost profiles list shows all"
        throw ClientFailure(message: "no profile has the id \(id)\(hint ?? all)", exitCode: 1)
    }
}
