import FileIO
import Glibc
import Logging

/// The first code on a card: `roost-claim.txt`, written when the card was made.
///
/// The file proves nearness: only a person at the station can write its card.
struct ClaimFile {
    static let name = "roost-claim.txt"
    static let lengths = 8...64

    enum Finding: Hashable {
        case missing
        case code(String)
        /// The reason why it is not used, with the next step.
        case wrong(String)
    }

    let folder: String

    /// Reads the file: one line of letters, digits, hyphens and spaces.
    func read() -> Finding {
        let path = folder + "/" + Self.name
        do {
            guard let bytes = try Files.readIfThere(path, limit: 64 << 10, allowing: .links) else {
                return .missing
            }
            let text = NewPerson.trimmed(String(decoding: Self.withoutMark(bytes), as: UTF8.self))
            let letters = text.filter { $0 != "-" && $0 != " " }
            guard letters.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
                return .wrong("\(path) holds more than a code: one line of letters and digits")
            }
            guard Self.lengths.contains(letters.count) else {
                return .wrong("\(path) holds \(letters.count) characters: a code has 8 to 64")
            }
            return .code(text)
        } catch { return .wrong("\(error)") }
    }

    /// Windows' Notepad may begin a file with a byte order mark.
    private static func withoutMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    }
}

extension Accounts {
    /// Takes the card's code while the station has no owner; called once, at the start.
    func takeCode(from folder: String) {
        guard !roster.isClaimed else {
            // Removing all accounts is no reason to take an old code again. Where the folder is the
            // boot partition, only its owner can remove the file.
            unlink("\(folder)/\(ClaimFile.name)")
            return
        }
        switch ClaimFile(folder: folder).read() {
        case .missing: return
        case .wrong(let words):
            logger.error("\(words); until then `roost claim` on the station prints a code")
        case .code(let code):
            do {
                try startingWith { try ClaimTable(connection: $0).setCard(code) }
                logger.notice("the code of \(folder)/\(ClaimFile.name) makes the first account")
            } catch {
                logger.error("the code of \(ClaimFile.name) cannot be kept: \(error)")
            }
        }
    }
}
