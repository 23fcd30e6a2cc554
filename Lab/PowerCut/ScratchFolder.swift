import Glibc

/// A folder of its own that is gone with this instance; holds files only.
final class ScratchFolder {
    let path: String
    /// Whether the folder stays.
    var isKept = false
    /// Contents of the files, as far as they are known.
    private var held: Card.Files = [:]

    /// Creates the folder in memory where possible, so that tests wear no card.
    init() throws(PowerCutError) {
        let root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(root)/powercut-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let made else { throw .scratch(call: "mkdtemp", errno: errno, path: root) }
        path = made
    }

    deinit { discard() }

    /// Removes the folder and its files now, unless it is kept.
    func discard() {
        guard !isKept else { return }
        for name in names { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// Replaces all files, writing only what differs from what is known to be there.
    func fill(_ files: Card.Files) throws(PowerCutError) {
        for name in names where files[name] == nil { unlink("\(path)/\(name)") }
        for (name, image) in files { try write(image, over: held[name], "\(path)/\(name)") }
        held = files
    }

    /// Reads the changes that other code made to the files since `fill`.
    func apply(_ operations: [PowerCutOperation]) {
        for operation in operations {
            switch operation {
            case .create(let name): held[name] = FileImage()
            case .write(let name, let offset, let bytes):
                held[name, default: FileImage()].write(bytes, at: offset)
            case .truncate(let name, let byteCount): held[name]?.resize(byteCount)
            case .delete(let name): held[name] = nil
            case .rename(let name, let other):
                held[other] = held.removeValue(forKey: name)
            case .sync, .syncFolder, .acknowledge: break
            }
        }
    }

    /// Writes over a part of a file.
    func overwrite(_ name: String, _ bytes: [UInt8], at offset: Int) throws(PowerCutError) {
        let path = "\(path)/\(name)"
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw .scratch(call: "open", errno: errno, path: path) }
        defer { close(file) }
        guard pwrite(file, bytes, bytes.count, off_t(offset)) == bytes.count else {
            throw .scratch(call: "pwrite", errno: errno, path: path)
        }
    }

    /// Drops the known state: other code may have changed the files.
    func doubt() { held = [:] }

    /// Whether the files hold what is known of them; for tests of the bookkeeping.
    func isAsKnown() -> Bool {
        held.allSatisfy { name, image in
            guard let file = fopen("\(path)/\(name)", "re") else { return false }
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: image.byteCount + 1)
            return fread(&bytes, 1, bytes.count, file) == image.byteCount
                && bytes.dropLast() == image.bytes[...]
        }
    }

    private func write(
        _ image: FileImage,
        over known: FileImage?,
        _ path: String
    ) throws(PowerCutError) {
        if image == known { return }
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (known == nil ? O_TRUNC : 0)
        let file = open(path, flags, 0o600)
        guard file >= 0 else { throw .scratch(call: "open", errno: errno, path: path) }
        defer { close(file) }
        guard ftruncate(file, off_t(image.byteCount)) == 0 else {
            throw .scratch(call: "ftruncate", errno: errno, path: path)
        }
        let size = FileImage.pieceSize
        for (index, piece) in image.pieces.enumerated() {
            if let known, index < known.pieces.count, known.pieces[index].hash == piece.hash {
                continue
            }
            let count = min(size, image.byteCount - index * size)
            guard pwrite(file, piece.bytes, count, off_t(index * size)) == count else {
                throw .scratch(call: "pwrite", errno: errno, path: path)
            }
        }
    }

    private var names: [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
