import FileIO
import Glibc

/// Files in pieces.
package enum FileBytes {
    package static let pieceByteCount = 65_536

    /// Hands a file to `body` piece by piece; `-` is standard input.
    ///
    /// - Throws: `ClientFailure`, and what `body` throws.
    package static func pieces(of path: String, _ body: ([UInt8]) throws -> Void) throws {
        let file =
            path == "-"
            ? OpenFile(dup(0), path)
            : try attempt("cannot be read") { () throws(FileError) in
                try Files.open(path, allowing: .any)
            }
        while true {
            let piece = try attempt("cannot be read") { () throws(FileError) in
                try file.next(pieceByteCount)
            }
            guard !piece.isEmpty else { return }
            try body(piece)
        }
    }

    /// Reads all of a file that is not longer than `limit`.
    ///
    /// - Throws: `ClientFailure`.
    package static func read(_ path: String, limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try pieces(of: path) { piece in
            bytes += piece
            guard bytes.count <= limit else {
                throw ClientFailure(message: "\(path): longer than \(limit) bytes", exitCode: 1)
            }
        }
        return bytes
    }

    /// Reads all of a file that may be missing, as `read` does; nil where it is.
    ///
    /// - Throws: `ClientFailure`.
    package static func readIfThere(_ path: String, limit: Int) throws -> [UInt8]? {
        guard path == "-" || access(path, F_OK) == 0 || errno != ENOENT else { return nil }
        return try read(path, limit: limit)
    }

    /// Writes everything to a descriptor.
    ///
    /// - Throws: `ClientFailure`.
    package static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                // The reader of standard output has closed it, as `head` does.
                if errno == EPIPE, descriptor == 1 { Output.endUnread() }
                guard errno == EINTR || errno == EAGAIN else { throw failure(path, "write failed") }
                continue
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Writes a file that a person named, for its owner only; `isNew` refuses one that is there,
    /// and brings the new one to the card.
    ///
    /// - Throws: `ClientFailure`.
    package static func put(_ bytes: [UInt8], _ path: String, isNew: Bool = false) throws {
        try attempt("cannot be written") { () throws(FileError) in
            let beginning: Files.Beginning = isNew ? .new : .empty
            let file = try Files.open(path, from: beginning, mode: 0o600, allowing: .any)
            try file.write(bytes)
            if isNew { try file.sync() }
        }
    }

    /// The failure of a call that failed just now.
    package static func failure(_ path: String, _ what: String) -> ClientFailure {
        failure(FileError(path, .system(call: what, code: errno)), what)
    }

    package static func failure(_ error: FileError, _ what: String) -> ClientFailure {
        let text =
            switch error.code {
            case ENOENT: "not there; correct the path"
            case EACCES, EPERM: "no permission; use sudo, or name another path"
            case ENOSPC, EDQUOT: "no space left; name another place with --output"
            case EISDIR: "is a folder; name a file"
            case EEXIST: "is there already; name another"
            default: "\(what): \(error.text)"
            }
        return ClientFailure(message: "\(error.path): \(text)", exitCode: 1)
    }

    /// - Throws: `ClientFailure` in place of the error of a file.
    fileprivate static func attempt<Value>(
        _ what: String,
        _ body: () throws(FileError) -> Value
    ) throws -> Value {
        do { return try body() } catch { throw failure(error, what) }
    }
}

/// A new file of a command, which has its name only once it is whole.
package struct OutputFile {
    private let file: NewFile

    /// - Throws: `ClientFailure`.
    package init(_ path: String) throws {
        file = try FileBytes.attempt("cannot be written") { () throws(FileError) in
            try NewFile(path, mode: 0o644, isExact: false)
        }
    }

    package func write(_ bytes: [UInt8]) throws {
        try FileBytes.attempt("cannot be written") { () throws(FileError) in
            try file.write(bytes)
        }
    }

    /// Makes it durable and gives it its name; without that nothing of it is left.
    package func commit() throws {
        try FileBytes.attempt("cannot be written") { () throws(FileError) in try file.commit() }
    }
}
