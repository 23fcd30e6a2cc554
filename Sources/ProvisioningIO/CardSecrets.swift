import Core
import FileIO
import HardwareIO
import Provisioning

/// The files in `secrets` of the boot partition: a password or token of the courier each.
struct CardSecrets {
    enum Finding {
        /// One to take, with the file's bytes as they are.
        case secret(file: String, SecretName, [UInt8])
        /// One that has zeros where its bytes were.
        case wiped(file: String)
        case wrong(ProvisionProblem)
    }

    static let folder = "secrets"
    /// Files that are read, at most.
    private static let countMax = 64
    private static let byteCountMax = 64 << 10
    /// Bytes that a card writes in one piece.
    private static let sectorByteCount = 512

    /// Where the boot partition is.
    let folder: String

    var findings: [Finding] {
        let path = "\(folder)/\(Self.folder)"
        let names: [String]
        do { names = try Files.names(in: path, limit: Self.countMax + 1) } catch {
            guard !error.isAbsent else { return [] }
            return [wrong(Self.folder, "it cannot be read: \(error.text)", "Make it a folder")]
        }
        var findings = names.prefix(Self.countMax).map { finding($0, beside: Set(names)) }
        if names.count > Self.countMax {
            let words = "it has more than \(Self.countMax) files"
            findings.append(wrong(Self.folder, words, "Remove what is no secret"))
        }
        return findings
    }

    private func finding(_ entry: String, beside names: Set<String>) -> Finding {
        let file = "\(Self.folder)/\(PlainText.shown(entry, limit: 80))"
        // Windows hides this end of a name, and adds it.
        let isText = entry.lowercased().hasSuffix(".txt")
        let text = isText ? String(entry.dropLast(4)) : entry
        guard let name = SecretName(text) else {
            let next = "Its name is 1 to 64 letters, digits, ., _ and -, not beginning with a point"
            return wrong(file, "it is not taken: this is no secret's name", next)
        }
        guard !isText || !names.contains(text) else {
            return wrong(file, "it is not taken, as \(text) is there, too", "Remove one of them")
        }
        let bytes: [UInt8]
        do {
            bytes = try Files.read("\(folder)/\(file)", limit: Self.byteCountMax)
        } catch {
            let next = "A secret is a file of at most 64 KiB"
            return wrong(file, "it is not taken: \(error.text)", next)
        }
        if Self.isWiped(bytes) { return .wiped(file: file) }
        let content = Self.content(of: bytes)
        guard !content.isEmpty else {
            return wrong(file, "it is empty", "Write the secret into it")
        }
        guard !content.contains(0), String(validating: content, as: UTF8.self) != nil else {
            let next = "Save it as UTF-8 (Notepad: Save as, Encoding, UTF-8)"
            return wrong(file, "it is not taken: it is no text in UTF-8", next)
        }
        return .secret(file: file, name, bytes)
    }

    /// What `roost secret set` keeps of a file: not the end of the last line.
    static func content(of bytes: [UInt8]) -> [UInt8] {
        var content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        if content.last == UInt8(ascii: "\n") { content.removeLast() }
        if content.last == UInt8(ascii: "\r") { content.removeLast() }
        return Array(content)
    }

    /// Whether a sector has zeros alone: a loss of power may leave the others as they were.
    private static func isWiped(_ bytes: [UInt8]) -> Bool {
        stride(from: 0, to: bytes.count, by: sectorByteCount).contains { start in
            bytes[start...].prefix(sectorByteCount).allSatisfy { $0 == 0 }
        }
    }

    private func wrong(_ file: String, _ words: String, _ next: String) -> Finding {
        .wrong(ProvisionProblem(file, words, next: next))
    }
}
