import Core
import Profiles
import RoostCourier
import Synchronization

/// Simulated Google tokens and Cloud Storage: each name is written once, large files in steps.
///
/// Each step but the last is a multiple of 256 KiB; a lost session answers 410.
///
/// - Source: Google, *Cloud Storage JSON API*; *Resumable uploads*.
final class GoogleStorageServer: SimulatedServer {
    private struct Session {
        let name: String
        let size: Int
        var bytes: [UInt8] = []
    }

    private struct State {
        var tokenCount = 0
        var isTokenValid = false
        var sessions: [String: Session] = [:]
        var sessionCount = 0
        var stepsUntilFailure: Int?
    }

    private let bucket: String
    private let host: String
    let stored: ServerFiles
    private let state = Mutex(State())

    /// - Parameters:
    ///   - host: With `https://`, of the addresses of uploads.
    init(bucket: String, host: String, _ stored: ServerFiles = ServerFiles()) {
        (self.bucket, self.host, self.stored) = (bucket, host, stored)
    }

    /// Number of tokens issued.
    var tokenCount: Int { state.withLock { $0.tokenCount } }
    var sessionCount: Int { state.withLock { $0.sessionCount } }
    /// Makes the token invalid.
    func endToken() { state.withLock { $0.isTokenValid = false } }
    /// Forgets all unfinished uploads.
    func loseSessions() { state.withLock { $0.sessions = [:] } }
    /// After so many steps, accepts half of one and answers 503.
    func failStep(after count: Int) { state.withLock { $0.stepsUntilFailure = count } }

    func answer(_ request: OutboundRequest) async -> OutboundAnswer {
        if request.path == "/token" { return token(request) }
        let isKnown = state.withLock { state in
            let token = "Bearer token-\(state.tokenCount)"
            return state.isTokenValid && request.field("authorization") == token
        }
        guard isKnown else { return OutboundAnswer(401, text: "{\"error\":{\"code\":401}}") }
        if request.path.hasPrefix("/session/") { return step(request) }
        let place = "/storage/v1/b/\(bucket)/o"
        if request.method == .post, request.path == "/upload" + place { return upload(request) }
        if request.method == .get, request.path.hasPrefix(place + "/"),
            let name = PercentCoding.decoded(request.path.dropFirst(place.count + 1)),
            let bytes = stored.files[name]
        {
            return Self.object(name, bytes)
        }
        return OutboundAnswer(404, text: "{\"error\":{\"code\":404}}")
    }

    private func token(_ request: OutboundRequest) -> OutboundAnswer {
        let form = ServerView.form(request.text)
        guard form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer",
            let claim = form["assertion"], claim.split(separator: ".").count == 3
        else { return OutboundAnswer(400, text: #"{"error":"invalid_grant"}"#) }
        let number = state.withLock { state in
            state.tokenCount += 1
            state.isTokenValid = true
            return state.tokenCount
        }
        return OutboundAnswer(
            200,
            text: "{\"access_token\":\"token-\(number)\",\"expires_in\":3599}"
        )
    }

    private func upload(_ request: OutboundRequest) -> OutboundAnswer {
        guard let name = request.query["name"], request.query["ifGenerationMatch"] == "0" else {
            return OutboundAnswer(400, text: "{}")
        }
        if stored.isRefused(name) { return OutboundAnswer(503, text: "{}") }
        if request.query["uploadType"] == "media" { return write(name, request.body) }
        guard stored.files[name] == nil else { return OutboundAnswer(412, text: "{}") }
        let size = request.field("x-upload-content-length").flatMap { Int($0) } ?? 0
        let number = state.withLock { state in
            state.sessionCount += 1
            state.sessions["\(state.sessionCount)"] = Session(name: name, size: size)
            return state.sessionCount
        }
        return OutboundAnswer(200, ["location": "\(host)/session/\(number)"])
    }

    private func step(_ request: OutboundRequest) -> OutboundAnswer {
        let id = String(request.path.dropFirst("/session/".count))
        let range = request.field("content-range") ?? ""
        let (session, isCut) = state.withLock { state in
            guard var session = state.sessions[id] else { return (Session?.none, false) }
            let start = range.dropFirst("bytes ".count).prefix { $0 != "-" && $0 != "/" }
            guard start != "*" else { return (session, false) }
            guard Int(start) == session.bytes.count else { return (nil, false) }
            var taken = request.body[...]
            state.stepsUntilFailure = state.stepsUntilFailure.map { $0 - 1 }
            let isCut = state.stepsUntilFailure == 0
            if isCut {
                taken = taken.prefix(taken.count / 2 / 262_144 * 262_144)
                state.stepsUntilFailure = nil
            }
            session.bytes += taken
            state.sessions[id] = session
            return (session, isCut)
        }
        guard let session else { return OutboundAnswer(410, text: "gone") }
        if isCut { return OutboundAnswer(503, text: "{}") }
        guard session.bytes.count < session.size else { return write(session.name, session.bytes) }
        guard request.body.count % 262_144 == 0 else { return OutboundAnswer(400, text: "{}") }
        let last = session.bytes.count - 1
        return OutboundAnswer(308, last < 0 ? [:] : ["range": "bytes=0-\(last)"])
    }

    private func write(_ name: String, _ bytes: [UInt8]) -> OutboundAnswer {
        stored.write(name, bytes) ? Self.object(name, bytes) : OutboundAnswer(412, text: "{}")
    }

    private static func object(_ name: String, _ bytes: [UInt8]) -> OutboundAnswer {
        let members = [
            ("name", WireJSON.string(name)),
            ("md5Hash", WireJSON.string(Base64.text(CourierCrypto.md5(bytes)))),
        ]
        return OutboundAnswer(200, text: WireJSON.object(members.map { (key: $0.0, value: $0.1) }))
    }
}
