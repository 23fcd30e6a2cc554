import FileIO
import Glibc
import HTTPTypes

/// The client's files, read once at the start.
///
/// Their hash is a part of their address, so that a browser may keep them for a year and gets new
/// ones with a new version.
package struct StaticFiles: Sendable {
    package struct File: Sendable {
        let type: String
        var bytes: [UInt8]
        /// The file compressed by gzip, where the package has that.
        var zipped: [UInt8]?
    }

    /// Paths of the pages: all get one file, whose router shows the page.
    package static let pages = [
        "/", "/history", "/events", "/devices", "/more", "/measurements", "/proof", "/health",
        "/numbers", "/surveys", "/settings", "/account", "/claim", "/login", "/trust", "/alerts",
        "/outbox", "/sites", "/backup", "/start", "/update", "/network", "/records", "/live",
        "/camera", "/dose",
    ]
    /// Bytes of a file at most.
    private static let sizeMax = 1 << 20

    package let hash: String
    private let files: [String: File]

    /// Reads a folder with all its folders.
    ///
    /// - Throws: `StaticFilesError` when there is no `index.html`, or a file cannot be read.
    package init(folder: String) throws(StaticFilesError) {
        var files: [String: File] = [:]
        for name in try Self.names(in: folder, "").sorted() {
            let bytes = try Self.read(folder + "/" + name)
            if name.hasSuffix(".gz") {
                files[String(name.dropLast(3))]?.zipped = bytes
            } else {
                files[name] = File(type: Self.type(of: name), bytes: bytes)
            }
        }
        guard files["index.html"] != nil else { throw .noIndex(folder) }
        // `scripts/install` puts the joined files there, by gzip as well.
        let names = [JoinedClient.scriptName, JoinedClient.laterName, JoinedClient.sheetName]
        if names.contains(where: { files[$0] == nil }) {
            let joined = try Self.joined(files)
            for (name, text) in zip(names, [joined.script, joined.later, joined.sheet]) {
                files[name] = File(type: Self.type(of: name), bytes: Array(text.utf8))
            }
        }
        if let worker = files["sw.js"]?.bytes {
            files["sw.js"]?.bytes = Self.withoutComments(worker)
        }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for (name, file) in files.sorted(by: { $0.key < $1.key }) {
            for byte in Array(name.utf8) + file.bytes {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
            }
        }
        self.hash = String(hash, radix: 16)
        self.files = files
    }

    /// The worker is apart from the joined script; its comments are for its developers, too.
    private static func withoutComments(_ bytes: [UInt8]) -> [UInt8] {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let kept = lines.map(ClientModule.trimmed).filter {
            !$0.hasPrefix("//") && !($0.hasPrefix("/*") && $0.hasSuffix("*/"))
        }
        return Array(kept.map { $0 + "\n" }.joined().utf8)
    }

    private static func joined(_ files: [String: File]) throws(StaticFilesError) -> JoinedClient {
        let texts = files.filter { $0.key.hasSuffix(".js") || $0.key.hasSuffix(".css") }
            .mapValues { String(decoding: $0.bytes, as: UTF8.self) }
        do { return try JoinedClient(texts) } catch { throw .notJoined(error) }
    }

    /// Returns a file's bytes by its name in the folder; the joined files as well.
    package func content(of name: String) -> [UInt8]? { files[name]?.bytes }

    /// The routes of the pages and files; `name` is the station's, for the app of a phone.
    package func routes(name: String) -> [Route] {
        let manifest = Manifest(name: name, hash: hash).json
        let index = page("index.html", type: "text/html; charset=utf-8")
        let worker = page("sw.js", type: "text/javascript; charset=utf-8")
        return Self.pages.map { path in Route(.get, path, .anyone) { _ in index } } + [
            Route(.get, "/sw.js", .anyone) { _ in worker },
            Route(.get, "/manifest.webmanifest", .anyone) { _ in
                .text(manifest, type: "application/manifest+json")
            },
            Route(.get, "/a/{hash}/{file*}", .anyone) { request in try answer(request) },
            Route(.get, "/favicon.ico", .anyone) { _ in
                WebResponse(.noContent, headers: [.cacheControl: "max-age=86400"])
            },
        ]
    }

    private func answer(_ request: WebRequest) throws -> WebResponse {
        guard request.parameters["hash"] == hash, let name = request.parameters["file"],
            let file = files[name]
        else { throw Problem.notFound("this version of the dashboard has no such file") }
        var headers: HTTPFields = [
            .contentType: file.type, .cacheControl: "public, max-age=31536000, immutable",
            .vary: "Accept-Encoding",
        ]
        if let zipped = file.zipped, request.headers[.acceptEncoding]?.contains("gzip") == true {
            headers[.contentEncoding] = "gzip"
            return WebResponse(headers: headers, body: .bytes(zipped))
        }
        return WebResponse(headers: headers, body: .bytes(file.bytes))
    }

    /// A file whose `@HASH@` names this version; browsers ask for it each time.
    func page(_ name: String, type: String) -> WebResponse {
        let text = String(decoding: files[name]?.bytes ?? [], as: UTF8.self)
        let pieces = text.split(separator: "@HASH@", omittingEmptySubsequences: false)
        return WebResponse(
            headers: [.contentType: type, .cacheControl: "no-cache"],
            body: .bytes(Array(pieces.joined(separator: hash).utf8))
        )
    }

    private static func names(
        in folder: String,
        _ prefix: String
    ) throws(StaticFilesError) -> [String] {
        let place = folder + "/" + prefix
        var names: [String] = []
        for name in try readable({ () throws(FileError) in try Files.names(in: place) }) {
            var info = stat()
            guard stat(place + name, &info) == 0 else { throw .unreadable(place + name, errno) }
            if info.st_mode & S_IFMT == S_IFDIR {
                names += try Self.names(in: folder, prefix + name + "/")
            } else {
                names.append(prefix + name)
            }
        }
        return names
    }

    /// Files of another folder; nil where one cannot be read.
    static func files(_ names: [String], in folder: String) -> [String: File]? {
        var files: [String: File] = [:]
        for name in names {
            guard let bytes = try? read(folder + "/" + name) else { return nil }
            files[name] = File(type: type(of: name), bytes: bytes)
        }
        return files
    }

    private static func read(_ path: String) throws(StaticFilesError) -> [UInt8] {
        try readable { () throws(FileError) in
            try Files.read(path, limit: sizeMax, allowing: .links)
        }
    }

    private static func readable<Value>(
        _ body: () throws(FileError) -> Value
    ) throws(StaticFilesError) -> Value {
        do { return try body() } catch { throw .unreadable(error.path, error.code) }
    }

    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json": "application/json; charset=utf-8"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "html": "text/html; charset=utf-8"
        case "webmanifest": "application/manifest+json"
        default: "application/octet-stream"
        }
    }
}

/// Why the client's files cannot be served.
package enum StaticFilesError: Error, Hashable, CustomStringConvertible {
    case unreadable(String, Int32)
    case noIndex(String)
    case notJoined(JoinedClientError)

    package var description: String {
        switch self {
        case .unreadable(let path, let code): "\(path): \(String(cString: strerror(code)))"
        case .notJoined(let error): "\(error)"
        case .noIndex(let folder):
            "\(folder) has no index.html; name the folder of the dashboard's files with --www"
        }
    }
}
