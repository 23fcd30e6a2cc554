import Core
import Profiles
import RoostCourier
import Synchronization

/// Simulated imports of Safecast's drives: unique by MD5, read after a delay, then submitted.
///
/// - Source: Safecast/safecastapi, `app/controllers/bgeigie_imports_controller.rb`,
///   `app/models/bgeigie_import.rb`, `app/models/measurement_import.rb`.
final class SafecastDriveServer: SimulatedServer {
    struct Import: Hashable, Sendable {
        let id: Int
        let fileName: String
        let bytes: [UInt8]
        var status = "unprocessed"
        var isApproved = false
        var isRejected = false
        var members: [String: String] = [:]
        /// Number of submissions; each sends a mail to the moderators.
        var submissions = 0
        /// Whether it stays *processed* even after a submission.
        var staysProcessed = false
        fileprivate var isReadAt: MonotonicInstant

        /// Number of lines that the service accepts.
        var lineCount: Int {
            String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
                .count { SafecastDriveServer.takes(String($0)) }
        }
    }

    private let key: String
    private let clock: any NodeClock
    /// Time from a file's arrival to the end of its reading.
    private let readingTime: Duration
    private let kept = Mutex<[Import]>([])

    /// - Parameters:
    ///   - clock: Says when a file has been read.
    init(key: String, clock: any NodeClock, readingTime: Duration = .seconds(40)) {
        (self.key, self.clock, self.readingTime) = (key, clock, readingTime)
    }

    var imports: [Import] { kept.withLock { $0 } }

    /// Changes an import as a moderator does.
    func change(_ id: Int, _ body: (inout Import) -> Void) {
        kept.withLock { imports in
            guard let index = imports.firstIndex(where: { $0.id == id }) else { return }
            body(&imports[index])
        }
    }

    func remove(_ id: Int) { kept.withLock { $0.removeAll { $0.id == id } } }

    func answer(_ request: OutboundRequest) async -> OutboundAnswer {
        guard request.query["api_key"] == key else {
            return OutboundAnswer(401, text: #"{"error":"Invalid authentication token."}"#)
        }
        guard request.field("accept") == "application/json" else {
            return OutboundAnswer(406, ["content-type": "text/html"], text: "<html></html>")
        }
        read()
        let parts = request.path.split(separator: "/").map(String.init)
        guard parts.first == "bgeigie_imports" else { return OutboundAnswer(404, text: "{}") }
        if parts.count == 1, request.method == .post { return create(request) }
        let digits = parts.count > 1 ? parts[1].prefix { $0.isNumber } : ""
        guard let id = Int(digits), let index = imports.firstIndex(where: { $0.id == id }) else {
            return OutboundAnswer(404, text: "{}")
        }
        return kept.withLock { imports in
            switch (request.method, parts.count) {
            case (.get, 2): Self.shown(imports[index])
            case (.patch, 2): Self.update(&imports[index], request)
            case (.put, 3) where parts[2] == "submit": Self.submit(&imports[index])
            default: OutboundAnswer(404, text: "{}")
            }
        }
    }

    /// Does the work of the service's own worker until now; it overwrites any status.
    private func read() {
        let now = clock.now
        kept.withLock { imports in
            for index in imports.indices where imports[index].isReadAt <= now {
                imports[index].status = "processed"
                imports[index].isReadAt = MonotonicInstant(nanoseconds: .max)
            }
        }
    }

    private func create(_ request: OutboundRequest) -> OutboundAnswer {
        guard let (name, bytes) = Self.file(in: request) else {
            return OutboundAnswer(422, text: #"{"errors":{"source":["can't be blank"]}}"#)
        }
        return kept.withLock { imports in
            if let known = imports.first(where: { $0.bytes == bytes }) {
                let words = "is the same as of Bgeigie Import with the ID: \(known.id)"
                return OutboundAnswer(422, text: "{\"errors\":{\"md5sum\":[\"\(words)\"]}}")
            }
            let made = Import(
                id: 4_711 + imports.count,
                fileName: name,
                bytes: bytes,
                isReadAt: clock.now.advanced(by: readingTime)
            )
            imports.append(made)
            return OutboundAnswer(201, text: Self.shown(made).text)
        }
    }

    private static func shown(_ made: Import) -> OutboundAnswer {
        func text(_ key: String) -> String { made.members[key].map(WireJSON.string) ?? "null" }
        let md5 = Hexadecimal.text(CourierCrypto.md5(made.bytes))
        let members: [(key: String, value: String)] = [
            ("id", "\(made.id)"), ("status", WireJSON.string(made.status)),
            ("approved", "\(made.isApproved)"), ("rejected", "\(made.isRejected)"),
            ("md5sum", WireJSON.string(md5)), ("cities", text("cities")),
            ("credits", text("credits")), ("name", text("name")),
        ]
        return OutboundAnswer(200, text: WireJSON.object(members))
    }

    private static func update(_ made: inout Import, _ request: OutboundRequest) -> OutboundAnswer {
        guard case .object(let members)? = request.json?["bgeigie_import"] else {
            return OutboundAnswer(400, text: "{}")
        }
        var next = made.members
        for (key, value) in members {
            if case .string(let text) = value { next[key] = text }
        }
        for key in ["cities", "credits"] where (next[key] ?? "").allSatisfy(\.isWhitespace) {
            return OutboundAnswer(422, text: "{\"errors\":{\"\(key)\":[\"can't be blank\"]}}")
        }
        made.members = next
        return OutboundAnswer(204)
    }

    private static func submit(_ made: inout Import) -> OutboundAnswer {
        if !made.staysProcessed { made.status = "submitted" }
        made.isRejected = false
        made.submissions += 1
        let place = "http://api.safecast.org/en-US/bgeigie_imports/\(made.id)"
        let page = "<html><body>You are being <a href=\"\(place)\">redirected</a>.</body></html>"
        return OutboundAnswer(302, ["location": place, "content-type": "text/html"], text: page)
    }

    /// Returns the file in a multipart body; nil when there is none with the field's name.
    private static func file(in request: OutboundRequest) -> (name: String, bytes: [UInt8])? {
        guard let type = request.field("content-type"),
            let boundary = type.split(separator: "boundary=").last, type.hasPrefix("multipart/"),
            let head = request.text.firstRange(of: "\r\n\r\n")
        else { return nil }
        let top = request.text[..<head.lowerBound]
        guard top.hasPrefix("--\(boundary)\r\n"), top.contains("name=\"bgeigie_import[source]\""),
            let mark = top.firstRange(of: "filename=\"")?.upperBound
        else { return nil }
        let end = "\r\n--\(boundary)--\r\n"
        let rest = request.text[head.upperBound...]
        guard rest.hasSuffix(end) else { return nil }
        let bytes = Array(rest.dropLast(end.count).utf8)
        return bytes.isEmpty ? nil : (String(top[mark...].prefix { $0 != "\"" }), bytes)
    }

    /// Whether the service accepts a line; it does not check the checksum.
    private static func takes(_ line: String) -> Bool {
        let items = line.split(separator: ",", omittingEmptySubsequences: false)
        guard items.count >= 13, BGeigieRecord.headers.contains(String(items[0].dropFirst())),
            ["A", "V"].contains(items[6]), ["A", "V"].contains(items[12]),
            ["N", "S"].contains(items[8]), ["E", "W"].contains(items[10])
        else { return false }
        return [7, 9, 11].allSatisfy { Double(items[$0]) != nil } && items[2].count == 20
    }
}
