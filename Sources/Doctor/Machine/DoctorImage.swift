/// Commands that mend the image of a card, not the machine that `roost doctor` runs on.
struct DoctorImage {
    /// Where the image is mounted.
    let root: String

    /// Commands that act on a running machine, which an image is not.
    private static let ofRunningMachines = [
        "sudo reboot", "sudo udevadm", "sudo systemctl restart", "sudo systemctl start",
        "sudo systemctl daemon-reexec", "sudo swapoff", "sudo dphys-swapfile", "sudo kill",
        "sudo timedatectl", "timedatectl", "sudo hwclock", "sudo dmesg", "sudo wdctl",
        "sudo mount -o remount", "sudo roostd", "sudo -u",
    ]
    /// Programs that have to run within the image.
    private static let ofTheImage = [
        "apt-get", "usermod", "groupadd", "systemctl", "raspi-config",
    ]
    private static let folders = ["/etc/", "/boot/", "/usr/", "/var/", "/lib/"]

    /// Returns the commands to type for this image.
    ///
    /// - Parameter next: What to type on the machine itself; steps are joined by `&&`.
    /// - Returns: The steps that apply to an image, with its paths; else what to do later.
    func commands(_ next: String) -> String {
        let steps = next.split(separator: " && ").map(String.init).filter { step in
            !Self.ofRunningMachines.contains { step.hasPrefix($0) }
        }
        guard !steps.isEmpty else { return "on the machine itself, once it runs: \(next)" }
        return steps.map(within).joined(separator: " && ")
    }

    /// Puts the image's paths into one step; quoted text is the content of a file and stays.
    private func within(_ step: String) -> String {
        step.split(separator: "'", omittingEmptySubsequences: false).enumerated()
            .map { $0 % 2 == 0 ? rewritten(String($1)) : String($1) }
            .joined(separator: "'")
    }

    private func rewritten(_ text: String) -> String {
        var text = text
        for program in Self.ofTheImage {
            text = text.replacing("sudo \(program) ", with: "sudo chroot \(root) \(program) ")
        }
        text = text.replacing(" disable --now ", with: " disable ")
        for folder in Self.folders {
            for before in [" ", "="] {
                text = text.replacing(before + folder, with: before + root + folder)
            }
            if text.hasPrefix(folder) { text = root + text }
        }
        return text
    }
}
