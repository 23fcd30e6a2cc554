import Core
import Glibc

/// One thing that can be wrong with a data directory.
package enum StoreDamage: String, CaseIterable {
    case missing, empty, nuls, truncated, grown, bitFlips, pages, garbage
    case folderInItsPlace, linkLoop, danglingLink, pipe, unreadable, unwritable
    case staleLog, garbageLog, garbageMemory, folderAsLog, garbageRollback
    case swapped, otherBlockSize, otherBlockCount
    case readOnlyFolder, folderMissing, full

    /// Whether even the owner cannot write: nothing can be set aside then.
    var stopsAllWriting: Bool { self == .readOnlyFolder || self == .full }

    static let names = ["history.db", "journal.ring"]

    /// Does it to a folder.
    func apply(to folder: String, _ dice: inout SplitMix64) {
        let path = "\(folder)/\(Self.names.randomElement(using: &dice) ?? "")"
        let history = "\(folder)/history.db"
        switch self {
        case .missing: unlink(path)
        case .empty: truncate(path, 0)
        case .nuls: overwrite(path) { $0.map { _ in 0 } }
        case .truncated: truncate(path, Int.random(in: 0...size(path), using: &dice))
        case .grown: truncate(path, size(path) + Int.random(in: 1...100_000, using: &dice))
        case .bitFlips: flip(path, &dice)
        case .pages: scribble(path, &dice)
        case .garbage: put(random(size(path), &dice), path)
        case .folderInItsPlace:
            unlink(path)
            mkdir(path, 0o755)
        case .linkLoop:
            unlink(path)
            symlink(path, path)
        case .danglingLink:
            unlink(path)
            symlink("\(folder)/nowhere/at-all", path)
        case .pipe:
            unlink(path)
            mkfifo(path, 0o644)
        case .unreadable: chmod(path, 0)
        case .unwritable: chmod(path, 0o444)
        case .staleLog: break  // The caller has other states at hand.
        case .garbageLog: put(random(40_000, &dice), history + "-wal")
        case .garbageMemory: put(random(32_768, &dice), history + "-shm")
        case .folderAsLog:
            mkdir(history + ["-wal", "-shm", "-journal"][Int(dice.next() % 3)], 0o755)
        case .garbageRollback: put(random(9_000, &dice), history + "-journal")
        case .swapped:
            rename(history, folder + "/other")
            rename(folder + "/journal.ring", history)
            rename(folder + "/other", folder + "/journal.ring")
        case .otherBlockSize, .otherBlockCount: break  // The store is opened so.
        case .readOnlyFolder: chmod(folder, 0o555)
        case .folderMissing:
            for name in Self.names + ["history.db-wal"] { unlink("\(folder)/\(name)") }
            rmdir(folder)
        case .full: break  // Needs a file system of its own.
        }
    }

    private func flip(_ path: String, _ dice: inout SplitMix64) {
        overwrite(path) { bytes in
            guard !bytes.isEmpty else { return bytes }
            var bytes = bytes
            for _ in 0..<Int.random(in: 1...40, using: &dice) {
                // Half of them where the headers are.
                let end = Bool.random(using: &dice) ? bytes.count : min(bytes.count, 8_192)
                bytes[Int.random(in: 0..<end, using: &dice)] ^= 1 << UInt8(dice.next() % 8)
            }
            return bytes
        }
    }

    private func scribble(_ path: String, _ dice: inout SplitMix64) {
        overwrite(path) { bytes in
            var bytes = bytes
            for _ in 0..<Int.random(in: 1...8, using: &dice) where bytes.count >= 4_096 {
                let place = Int.random(in: 0..<bytes.count / 512, using: &dice) * 512
                let count = min(bytes.count - place, Bool.random(using: &dice) ? 512 : 4_096)
                let isZero = Bool.random(using: &dice)
                let filling = isZero ? Array(repeating: 0, count: count) : random(count, &dice)
                bytes.replaceSubrange(place..<place + count, with: filling)
            }
            return bytes
        }
    }

    private func overwrite(_ path: String, _ body: ([UInt8]) -> [UInt8]) {
        put(body(ScratchFile.bytes(path)), path)
    }

    private func put(_ bytes: [UInt8], _ path: String) { ScratchFile.put(bytes, path) }

    private func random(_ count: Int, _ dice: inout SplitMix64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            withUnsafeBytes(of: dice.next()) { bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(count))
    }

    private func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}

/// Whole files, for folders that are thrown away.
enum ScratchFile {
    static func bytes(_ path: String) -> [UInt8] {
        guard isFile(path), let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        var status = stat()
        fstat(fileno(file), &status)
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    static func put(_ bytes: [UInt8], _ path: String) {
        var status = stat()
        // To open a pipe would wait for a reader.
        guard isFile(path) || lstat(path, &status) != 0 else { return }
        guard let file = fopen(path, "we") else { return }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Removes a folder and what is in it, one folder deep.
    static func remove(_ folder: String) {
        chmod(folder, 0o755)
        for name in names(folder) {
            let path = "\(folder)/\(name)"
            if unlink(path) != 0 {
                for inner in names(path) { unlink("\(path)/\(inner)") }
                rmdir(path)
            }
        }
        rmdir(folder)
    }

    static func names(_ folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
