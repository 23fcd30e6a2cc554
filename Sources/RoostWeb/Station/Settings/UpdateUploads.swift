import COpenSSL
import ControlProtocol
import Core
import FileIO
import Glibc

/// Uploads of a new image version by the owner, and the outcome of the last update.
///
/// A root service takes the whole file from here, checks who signed it, and writes it to the card;
/// the dashboard itself writes nothing but its own folder.
package struct UpdateUploads: Sendable {
    /// Bytes of an update at most.
    package static let byteCountMax = 512 << 20
    /// Bytes of one piece of it.
    static let pieceByteCountMax = 1 << 20
    /// Bytes of the card that stay free for the history.
    private static let spareByteCount = 64 << 20

    /// Folder of the dashboard's own files.
    private let state: String
    /// Root folder of the system; empty for this machine.
    private let root: String

    package init(state: String, root: String = "") { (self.state, self.root) = (state, root) }

    private var folder: String { "\(state)/update" }
    private var part: String { "\(folder)/new.update.part" }
    private var whole: String { "\(folder)/new.update" }
    private var wanted: String { "\(root)/run/roost-web/update-wanted" }

    /// Whether this station runs from an image, and is not updated by apt.
    var isImage: Bool { access("\(root)/usr/lib/roost/image.json", F_OK) == 0 }

    /// Whether the root service works, or is about to.
    var isBusy: Bool {
        get throws(Problem) {
            if access(wanted, F_OK) == 0 { return true }
            return try record("run/roost-update.json") != nil
        }
    }

    /// - Throws: `Problem` `store` for a file that is there and cannot be read.
    var view: UpdateView {
        get throws(Problem) {
            UpdateView(
                isImage: isImage,
                isBusy: try isBusy,
                slot: try text("run/roost-slot").flatMap { Int($0.filter(\.isNumber)) },
                keys: try keys(),
                last: try last(),
                uploadedBytes: Files.size(part) ?? 0,
                limitBytes: Self.byteCountMax
            )
        }
    }

    private func last() throws(Problem) -> UpdateRecord? {
        if let running = try record("run/roost-update.json") { return running }
        return try record("data/system/update.json")
    }

    private func record(_ name: String) throws(Problem) -> UpdateRecord? {
        try text(name).flatMap { try? ControlCodec.message(UpdateRecord.self, from: $0) }
    }

    private func text(_ name: String) throws(Problem) -> String? {
        do throws(FileError) {
            let path = "\(root)/\(name)"
            return try Files.readIfThere(path, limit: 64 << 10, allowing: .links)
                .map { String(decoding: $0, as: UTF8.self) }
        } catch { throw Self.unreadable(error) }
    }

    private static func unreadable(_ error: FileError) -> Problem {
        Problem(.store, "\(error.path) cannot be read: \(error.text)")
    }

    /// Ids of the keys whose updates are taken.
    private func keys() throws(Problem) -> [String] {
        var ids: [String] = []
        for folder in ["usr/share/roost/update-keys.d", "etc/roost/update-keys.d"] {
            var names: [String] = []
            do { names = try Files.names(in: "\(root)/\(folder)", limit: 64) } catch {
                guard error.isAbsent else { throw Self.unreadable(error) }
            }
            for name in names where name.hasSuffix(".pem") {
                var point = [UInt8](repeating: 0, count: 32)
                guard let pem = try text("\(folder)/\(name)"), copenssl_read_ed25519(pem, &point)
                else { continue }
                let id = Hexadecimal.text(SHA256.digest(point).prefix(8))
                if !ids.contains(id) { ids.append(id) }
            }
        }
        return ids
    }
}

/// The answer of `GET /api/v1/update`.
struct UpdateView: Codable, Hashable {
    let isImage: Bool
    let isBusy: Bool
    /// The root that runs, 2 or 3.
    let slot: Int?
    let keys: [String]
    let last: UpdateRecord?
    let uploadedBytes: Int
    let limitBytes: Int
}

extension UpdateUploads {
    /// Adds a piece of the file; the first one starts it again.
    ///
    /// - Returns: Bytes that are there now.
    /// - Throws: `Problem`: `conflict` for a piece that does not follow, `store` without room.
    func add(_ bytes: [UInt8], at offset: Int) throws(Problem) -> Int {
        try demandImage()
        guard offset + bytes.count <= Self.byteCountMax else {
            throw Problem(.tooLarge, "an update has at most \(Self.byteCountMax >> 20) MiB")
        }
        mkdir(folder, 0o700)
        if offset == 0 { unlink(part) }
        let there = Files.size(part) ?? 0
        guard there == offset else {
            throw Problem(.conflict, "the next piece begins at \(there), not at \(offset)")
        }
        var space = statvfs()
        let isRoomy =
            statvfs(folder, &space) != 0
            || Int(clamping: space.f_bavail) * Int(clamping: space.f_frsize)
                > Self.spareByteCount + bytes.count
        guard isRoomy else { throw Problem(.store, "the card has no room for the file") }
        do { try Files.append(bytes, to: part, mode: 0o600) } catch {
            throw Problem(.store, "the file cannot be kept: \(error.text)")
        }
        return there + bytes.count
    }

    /// Hands the whole file to the root service.
    ///
    /// - Throws: `Problem`: `conflict` where bytes are missing or an update is under way.
    func begin(byteCount: Int) throws(Problem) {
        try demandImage()
        let there = Files.size(part) ?? 0
        guard there == byteCount, byteCount > 0 else {
            throw Problem(.conflict, "\(there) bytes were uploaded, and not \(byteCount)")
        }
        guard rename(part, whole) == 0 else {
            let reason = String(cString: strerror(errno))
            throw Problem(.store, "the file cannot be kept: \(reason)")
        }
        do { try Files.append([], to: wanted, mode: 0o644) } catch {
            throw Problem(.store, "the update cannot be asked for: \(error.text)")
        }
    }

    /// Removes leftovers of an unfinished upload, or of an update that a power cut ended.
    ///
    /// Only for the start, as no page continues either.
    ///
    /// - Returns: Itself.
    package func withoutLeftovers() -> UpdateUploads {
        // A record that cannot be read is said at the first request.
        if (try? isBusy) == false {
            unlink(part)
            unlink(whole)
        }
        return self
    }

    private func demandImage() throws(Problem) {
        guard isImage else {
            throw Problem(.notOffered, "this station is updated by apt, not by a file")
        }
        guard try !isBusy else { throw Problem(.conflict, "an update is being written") }
    }
}
