import ControlProtocol
import Core

/// One backup: JSON, encrypted by age where it has secrets.
package struct BackupFile: Codable, Hashable, Sendable {
    /// The format that this version writes; it reads earlier ones, and refuses later ones.
    package static let format = 1
    /// Bytes of a file, at most.
    package static let byteMax = 1 << 20

    package struct Part: Codable, Hashable, Sendable {
        package let owner: String
        /// JSON that only its owner reads.
        package let content: String
        /// SHA-256 of the content, hexadecimal.
        package let digest: String

        package init(_ owner: BackupOwner, _ content: String) {
            (self.owner, self.content) = (owner.rawValue, content)
            digest = BackupFile.digest(of: content)
        }
    }

    package let format: Int
    /// The version of Roost that wrote it.
    package let program: String
    /// ISO 8601 in UTC; nil where no clock could be trusted.
    package let time: String?
    /// Name and id of the station.
    package let name: String
    package let station: String?
    /// What is not in it: `secrets`, `subscribers`, `accounts`, and programs that did not answer.
    package let leftOut: [String]
    package let parts: [Part]
    /// SHA-256 of all of the above, hexadecimal.
    package let digest: String

    package init(
        name: String,
        station: String?,
        time: String?,
        leftOut: [String],
        parts: [Part]
    ) {
        (format, program) = (Self.format, RoostVersion.text)
        (self.name, self.station, self.time) = (name, station, time)
        (self.leftOut, self.parts) = (leftOut, parts)
        digest = Self.digest(format, program, [time, name, station], leftOut, parts)
    }

    /// Content of a program; nil where the file has none.
    package func content(of owner: BackupOwner) -> String? {
        parts.first { $0.owner == owner.rawValue }?.content
    }

    /// A name for the file: `roost-Balkon-2026-11-29.backup`.
    package var fileName: String {
        let plain = name.map { character in
            let isPlain = character.isLetter || character.isNumber || character == "-"
            return isPlain ? character : "-"
        }
        let day = time.map { "-" + $0.prefix(10) } ?? ""
        return "roost-\(String(plain.prefix(40)))\(day).backup"
    }

    // MARK: Bytes

    /// The file's bytes, encrypted with a passphrase.
    ///
    /// - Throws: `ControlFailure` `busy` without the memory to encrypt.
    package func bytes(passphrase: String?) throws -> [UInt8] {
        let plain = Array((try ControlCodec.line(self) + "\n").utf8)
        guard let passphrase else { return plain }
        guard let sealed = AgeFile.seal(plain, passphrase: passphrase) else {
            throw ControlFailure(code: .busy, message: "there is no memory to encrypt: try later")
        }
        return sealed
    }

    /// Reads a file, and checks all of it.
    ///
    /// - Parameter logCostMax: The most that its passphrase may cost, 1…20.
    /// - Throws: `ControlFailure` that says what is wrong with the file.
    package init(
        _ bytes: [UInt8],
        passphrase: String?,
        logCostMax: Int = AgeFile.logCost
    ) throws(ControlFailure) {
        guard bytes.count <= Self.byteMax else {
            throw ControlFailure(code: .tooLarge, message: "a backup has at most 1 MiB")
        }
        guard AgeFile.isOne(bytes) else {
            self = try Self.read(bytes)
            return
        }
        guard let passphrase, !passphrase.isEmpty else {
            throw .badRequest("the file is encrypted: give its passphrase", at: "/passphrase")
        }
        let plain: [UInt8]
        do throws(AgeFile.Fault) {
            plain = try AgeFile.open(bytes, passphrase: passphrase, logCostMax: logCostMax)
        } catch { throw Self.failure(error) }
        self = try Self.read(plain)
    }

    /// What every version of the format has.
    private struct Heading: Decodable { let format: Int }

    private static func read(_ bytes: [UInt8]) throws(ControlFailure) -> BackupFile {
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.first == UInt8(ascii: "{") else {
            throw ControlFailure(code: .unsupportedMedia, message: "this is no backup of Roost")
        }
        let heading: Heading
        do { heading = try ControlCodec.message(from: text) } catch {
            throw ControlFailure(
                code: .badRequest,
                message: "the file is cut or damaged, or no backup of Roost: \(error.message)"
            )
        }
        guard heading.format <= format else {
            throw ControlFailure(
                code: .wrongVersion,
                message: "the file is of a later version of Roost (format \(heading.format)); "
                    + "update this station first"
            )
        }
        guard let file = try? ControlCodec.message(BackupFile.self, from: text), file.isWhole else {
            throw damaged
        }
        return file
    }

    private static let damaged = ControlFailure(
        code: .badRequest,
        message: "the file is cut or damaged; use another copy"
    )

    private static func failure(_ fault: AgeFile.Fault) -> ControlFailure {
        switch fault {
        case .wrongPassphrase: .badRequest("the passphrase is wrong", at: "/passphrase")
        case .damaged: damaged
        case .foreign, .otherKind:
            ControlFailure(
                code: .unsupportedMedia,
                message: "the file is encrypted in another way than by a passphrase of age"
            )
        case .tooCostly(let cost):
            ControlFailure(
                code: .tooLarge,
                message: "its passphrase needs \(max(1, (1 << min(cost, 40)) >> 10)) MiB of "
                    + "memory to check; decrypt it elsewhere by `age -d`, or use `roost restore`"
            )
        case .noMemory:
            ControlFailure(code: .busy, message: "there is no memory to decrypt: try later")
        }
    }

    // MARK: Digests

    private var isWhole: Bool {
        parts.allSatisfy { $0.digest == Self.digest(of: $0.content) }
            && Set(parts.map(\.owner)).count == parts.count
            && digest == Self.digest(format, program, [time, name, station], leftOut, parts)
    }

    static func digest(of text: String) -> String {
        Hexadecimal.text(AgeCipher.sha256(Array(text.utf8)))
    }

    private static func digest(
        _ format: Int,
        _ program: String,
        _ facts: [String?],
        _ leftOut: [String],
        _ parts: [Part]
    ) -> String {
        let lines =
            ["\(format)", program] + facts.map { $0 ?? "" } + leftOut
            + parts.map { "\($0.owner) \($0.digest)" }
        // Lengths tell where one ends and the next begins.
        return digest(of: lines.map { "\($0.utf8.count):\($0)" }.joined(separator: "\n"))
    }
}
