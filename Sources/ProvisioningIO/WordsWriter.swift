import ControlProtocol
import FileIO
import Glibc
import HardwareIO
import Provisioning

/// Keeps `roost-said.txt` as it is to be: on the boot partition, which is written when the text
/// changes and not otherwise, and in memory, for who may not read the partition.
struct WordsWriter {
    let boot: BootPartition
    /// Path of the system's root; empty for this machine.
    let root: String

    /// The messages last written since this start.
    var present: ProvisionWords {
        Files.text("\(root)/run/\(ProvisionWords.partsName)", limit: 1 << 18).flatMap {
            try? ControlCodec.message(ProvisionWords.self, from: $0)
        } ?? ProvisionWords()
    }

    /// The text on the partition.
    var text: String? { Files.text("\(boot.folder)/\(ProvisionWords.name)", limit: 1 << 16) }

    /// - Parameter words: All that is to be said.
    /// - Returns: The same, and why the partition or the memory does not have it.
    func write(_ words: ProvisionWords) -> ProvisionWords {
        var said = words
        let password = accessPointLine(&said)
        let bytes = Array((words.text + (password ?? "")).utf8)
        let path = "\(boot.folder)/\(ProvisionWords.name)"
        let present = Files.start(of: path, limit: 1 << 16)
        if present != bytes, !words.isEmpty || password != nil || present != nil {
            do throws(StorageError) {
                try boot.writable { () throws(StorageError) in
                    try WholeFile.write(bytes, to: path, mode: 0o644)
                }
            } catch {
                said.notes.append("This stands at the station alone: \(error).")
            }
        }
        let parts = try? ControlCodec.line(words)
        for (name, text) in [
            (ProvisionWords.partsName, words.isEmpty ? "" : parts ?? ""),
            (ProvisionWords.name, said.isEmpty ? "" : said.text),
            (ProvisionWords.problemsName, words.problems.map { "\($0.finding)\n" }.joined()),
            (WirelessFinding.fileName, words.wireless.map { "\($0)\n" } ?? ""),
        ] {
            do throws(StorageError) { try keep(text, name) } catch {
                said.notes.append("The page cannot repeat this: \(error).")
            }
        }
        return said
    }

    /// The line about the access point, for the partition of an image alone.
    private func accessPointLine(_ said: inout ProvisionWords) -> String? {
        guard ImageMachine(root: root) != nil else { return nil }
        do throws(StorageError) {
            return try AccessPoint(root: root, hasOwner: true).line().map { "\r\n\($0)\r\n" }
        } catch {
            said.notes.append("The access point has no password: \(error).")
            return nil
        }
    }

    /// Writes a file in memory that the station reads, or removes it when there is no text.
    private func keep(_ text: String, _ name: String) throws(StorageError) {
        let path = "\(root)/run/\(name)"
        guard !text.isEmpty else {
            unlink(path)
            return
        }
        try WholeFile.write(Array(text.utf8), to: path, mode: 0o644)
    }
}
