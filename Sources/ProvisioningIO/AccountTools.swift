import FileIO
import Glibc
import HardwareIO
import Provisioning

/// Makes the account of a person who may log in.
package protocol AccountTools: Sendable {
    /// Makes the user if there is none, and gives it keys and password.
    func make(_ user: LoginUser, for file: String) throws(ProvisionProblem)
}

/// Accounts by Debian's `useradd` and `chpasswd`.
package struct LinuxAccounts: AccountTools {
    /// Groups that a person at a station needs, where the system has them.
    private static let groups = [
        "adm", "sudo", "dialout", "plugdev", "netdev", "gpio", "roost", "systemd-journal",
    ]
    /// Users with a smaller number belong to the system.
    ///
    /// - Source: Debian Policy, 9.2.2.
    private static let firstPerson = 1_000

    /// Path of the system's root; empty for this machine.
    private let root: String
    private let programs: String

    /// - Parameters:
    ///   - root: Empty for this machine.
    package init(root: String, programs: String = "/usr/sbin") {
        (self.root, self.programs) = (root, programs)
    }

    package func make(_ user: LoginUser, for file: String) throws(ProvisionProblem) {
        if let known = entry(user.name) {
            guard known.number >= Self.firstPerson else {
                throw ProvisionProblem(
                    file,
                    "\(user.name) is a user of the system itself",
                    next: "Take another name"
                )
            }
        } else {
            let groups = Self.groups.filter(hasGroup)
            let list = groups.isEmpty ? [] : ["--groups", groups.joined(separator: ",")]
            try run(
                ["\(programs)/useradd", "--create-home", "--shell", "/bin/bash"] + list,
                [user.name],
                user,
                file
            )
        }
        if let hash = user.passwordHash {
            // Not as an argument: every user of the machine can read those.
            let line = "\(user.name):\(hash)\n"
            try run(["\(programs)/chpasswd", "--encrypted"], [], user, file, input: line)
        }
        do throws(StorageError) { try writeFiles(user) } catch {
            throw ProvisionProblem(
                file,
                "the account of \(user.name) is not complete: \(error)",
                next: "Start the station again"
            )
        }
    }

    private func run(
        _ program: [String],
        _ names: [String],
        _ user: LoginUser,
        _ file: String,
        input: String? = nil
    ) throws(ProvisionProblem) {
        let command = program + (root.isEmpty ? [] : ["--root", root]) + names
        let status: Int32
        do throws(UpdateError) {
            // The program's output goes to the log.
            status = try ChildProgram.run(command, input: input, output: 2)
        } catch {
            throw ProvisionProblem(file, "\(error)", next: "Tell it to the image's maker")
        }
        guard status == 0 else {
            throw ProvisionProblem(
                file,
                "the user \(user.name) cannot be made (\(program[0]): \(status >> 8))",
                next: "Start the station again; journalctl -u roost-provision says why"
            )
        }
    }

    private func writeFiles(_ user: LoginUser) throws(StorageError) {
        // A person with a key alone has no password to give.
        let asks = user.passwordHash == nil ? "NOPASSWD: " : ""
        try SettingFile.put(
            "\(user.name) ALL=(ALL:ALL) \(asks)ALL\n",
            "\(root)/etc/sudoers.d/010_roost_\(user.name)",
            mode: 0o440
        )
        guard !user.keys.isEmpty, let known = entry(user.name) else { return }
        let folder = "\(root)\(known.home)/.ssh"
        // Also what is there already: the power may have gone between the file and its owner.
        mkdir(folder, 0o700)
        lchown(folder, known.number, known.group)
        let path = "\(folder)/authorized_keys"
        try SettingFile.put(user.keys.joined(separator: "\n") + "\n", path, mode: 0o600)
        lchown(path, known.number, known.group)
    }

    private func entry(_ name: String) -> (number: uid_t, group: gid_t, home: String)? {
        let text = Files.text("\(root)/etc/passwd", limit: 1 << 18) ?? ""
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count >= 6, fields[0] == name, let number = uid_t(fields[2]),
                let group = gid_t(fields[3])
            else { continue }
            return (number, group, String(fields[5]))
        }
        return nil
    }

    private func hasGroup(_ name: String) -> Bool {
        let text = Files.text("\(root)/etc/group", limit: 1 << 18) ?? ""
        return text.split(separator: "\n").contains { $0.hasPrefix("\(name):") }
    }
}
