import HardwareIO

/// Names of the files that a person puts on the boot partition.
package enum CardFileNames {
    private static let ofPeople =
        [StationFile.name] + ConfigurationFile.allCases.map(\.rawValue)
        + [ClaimCode.name, AccountReset.name, "roost-reset-everything.txt"]
        + ["roost-restore-passphrase.txt"]

    /// - Parameters:
    ///   - name: A file on the partition.
    ///   - isThere: Whether a file has this name; on the partition capitals make no difference.
    /// - Returns: Why the file is not read, where it looks like one for the station.
    package static func problem(
        _ name: String,
        isThere: (String) -> Bool
    ) -> ProvisionProblem? {
        let lower = name.lowercased()
        let isText = lower.hasSuffix(".txt")
        guard !ofPeople.contains(name), name != ProvisionWords.name,
            isText || lower.hasSuffix(".json")
        else { return nil }
        // Windows hides the end of a name, and adds another one.
        let near = ofPeople.first { lower == $0 || stem(lower) == $0 || stem(lower) == stem($0) }
        guard near != nil || lower.hasPrefix("roost-") || !isText else { return nil }
        if near == lower, isThere(lower) { return nil }
        return ProvisionProblem(
            PlainText.shown(name),
            "a file of this name is not read",
            next: near.map { "Call it \($0)" }
                ?? "Read are \(ofPeople.joined(separator: ", ")) and the folder secrets"
        )
    }

    private static func stem(_ name: String) -> String {
        name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
    }
}
