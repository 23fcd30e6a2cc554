import Glibc
import HardwareIO
import Provisioning

/// Reads configurations for those that only move files.
package struct ConfigurationReader {
    /// Checks a configuration, and returns place and reason of each mistake.
    let mistakes: (_ file: ConfigurationFile, _ path: String) -> [String]
    /// Names the store's folder by a `roost.json`.
    private let storeFolder: (_ path: String) throws -> String
    /// Returns the journal's path that a `roost.json` names; nil for none.
    private let journalPath: (_ path: String) throws -> String?

    package init(
        mistakes: @escaping (_ file: ConfigurationFile, _ path: String) -> [String],
        storeFolder: @escaping (_ path: String) throws -> String,
        journalPath: @escaping (_ path: String) throws -> String? = { _ in nil }
    ) {
        (self.mistakes, self.storeFolder) = (mistakes, storeFolder)
        self.journalPath = journalPath
    }

    /// The journal's path within the system by its `roost.json`; nil where none is named, or the
    /// file cannot be read, which `store` says.
    func journal(root: String) -> String? {
        let path = "\(root)/etc/roost/roost.json"
        guard access(path, F_OK) == 0 else { return nil }
        do { return try journalPath(path) } catch { return nil }
    }

    /// The store's folder within the system; the standard one where `roost.json` cannot be read.
    ///
    /// - Parameters:
    ///   - file: Whose use needs the folder.
    ///   - problems: Receives why `roost.json` cannot be read.
    func store(root: String, for file: String, _ problems: inout [ProvisionProblem]) -> String {
        let path = "\(root)/etc/roost/roost.json"
        guard access(path, F_OK) == 0 else { return FactoryReset.standardStore }
        do { return try storeFolder(path) } catch {
            let standard = FactoryReset.standardStore
            problems.append(
                ProvisionProblem(
                    file,
                    "the station's roost.json cannot be read, so that only \(standard) was "
                        + "reached: \(PlainText.shown("\(error)"))",
                    next: "Put a right roost.json here if yours names another folder"
                )
            )
            return standard
        }
    }
}
