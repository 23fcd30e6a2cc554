/// Settings, problems and secrets of one file of the boot partition.
package struct ProvisionedFile: Hashable, Sendable {
    package internal(set) var settings = ProvisionedSettings()
    package internal(set) var problems: [ProvisionProblem] = []
    /// Bytes of the file that are a secret, and go out of it once they are taken.
    package internal(set) var secrets: [Range<Int>] = []
    /// Whether it holds a secret that cannot be taken, as something of it is wrong.
    package internal(set) var hasUnusedSecret = false

    package init() {}
}

/// Collects the settings of a file, and the problems of those that are not taken.
struct SettingsBuilder {
    var file = ProvisionedFile()
    var problems: ProvisionProblems
    let knowsZone: (String) -> Bool

    init(_ name: String, knowsZone: @escaping (String) -> Bool) {
        problems = ProvisionProblems(name)
        self.knowsZone = knowsZone
    }

    /// The value that a rule makes of a text; nil with a problem where it refuses.
    mutating func value<Value>(
        _ line: Int?,
        _ rule: () throws(SettingRules.Refusal) -> Value
    ) -> Value? {
        do throws(SettingRules.Refusal) { return try rule() } catch {
            problems.add(line, error.words, next: error.next)
            return nil
        }
    }

    var finished: ProvisionedFile {
        var file = file
        file.problems = problems.list
        return file
    }
}
