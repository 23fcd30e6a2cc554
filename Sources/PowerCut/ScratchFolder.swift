import Glibc

/// A folder of its own that is gone with this instance; holds files only.
final class ScratchFolder {
    let path: String

    /// Made in memory where there is such a place, so that no card is worn by tests.
    init() throws(PowerCutError) {
        let root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(root)/powercut-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let made else { throw .scratch(call: "mkdtemp", errno: errno, path: root) }
        path = made
    }

    deinit {
        for name in names { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// Replaces all files.
    func fill(_ files: Card.Files) throws(PowerCutError) {
        for name in names where files[name] == nil { unlink("\(path)/\(name)") }
        for (name, bytes) in files {
            let path = "\(path)/\(name)"
            guard let file = fopen(path, "we") else {
                throw .scratch(call: "fopen", errno: errno, path: path)
            }
            let written = fwrite(bytes, 1, bytes.count, file)
            guard fclose(file) == 0, written == bytes.count else {
                throw .scratch(call: "fwrite", errno: errno, path: path)
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
