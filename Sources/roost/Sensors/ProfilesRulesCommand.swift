import ArgumentParser
import ClientSupport
import ControlProtocol
import Glibc
import LinuxPlatform
import Profiles

struct ProfilesRulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "The udev rules that go with the profiles.",
        discussion: """
            They let the group dialout open the ports, link them by socket below /dev/roost, and \
            keep ModemManager and brltty away. They run nothing. After writing them:
            sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=tty

            Examples: roost profiles rules
                      roost profiles rules nova-sds011
                      sudo roost profiles rules --write /etc/udev/rules.d
            """
    )
    @OptionGroup var options: ProfilesOptions

    @Argument(help: "Only the rules of this profile, and those against brltty.")
    var id: String?

    @Option(help: "Write the files into this folder; files that are equal already stay untouched.")
    var write: String?

    func run() throws {
        // The file against brltty covers all profiles, so it is always made from all of them.
        var files = UdevRule.files(options.catalog().profiles)
        if let id {
            let name = UdevRule.fileName(try options.profile(id))
            files =
                files.contains { $0.name == name }
                ? files.filter { $0.name == name || $0.name == UdevRule.braillePath } : []
        }
        guard !files.isEmpty else {
            throw ClientFailure(message: "\(id ?? "no profile") has no rule", exitCode: 1)
        }
        if let write { return try put(files, into: write) }
        if options.json {
            let texts = files.map { ["name": $0.name, "text": $0.text] }
            return Output.line(try ControlCodec.line(["files": texts]))
        }
        for file in files { Output.write("# ==> \(file.name)\n\(file.text)\n") }
    }

    private func put(_ files: [(name: String, text: String)], into folder: String) throws {
        guard access(folder, F_OK) == 0 else {
            throw ClientFailure(message: "\(folder): not there; correct the path", exitCode: 1)
        }
        var written: [String] = []
        for (name, text) in files {
            let path = "\(folder)/\(name)"
            let bytes = Array(text.utf8)
            if case .success(bytes) = ProfileFolder.file(path).contents { continue }
            let file = try OutputFile(path)
            try file.write(bytes)
            try file.commit()
            written.append(path)
        }
        if options.json { return Output.line(try ControlCodec.line(["written": written])) }
        for path in written { Output.line("wrote \(path)") }
        Output.line("\(files.count - written.count) of \(files.count) were equal already")
    }
}
