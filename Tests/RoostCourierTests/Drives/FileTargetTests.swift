import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier

/// Requests and answers of the targets of files.
@Suite struct FileTargetTests {
    static let host = "files.example"
    static let path = "hourly/Sun Nov  6 07:49:04 2022.csv"

    static func file(_ text: String = "PM2.5,12.3\r\n", path: String = path) async throws
        -> OutboxFile
    {
        try await file(Array(text.utf8), path: path)
    }

    static func file(_ bytes: [UInt8], path: String = path) async throws -> OutboxFile {
        let size = 100_000
        return try await OutboxFile(path: path) { number in
            let start = number * size
            guard start < bytes.count else { return nil }
            return Array(bytes[start..<min(start + size, bytes.count)])
        }
    }

    static func store(_ bucket: String = "air") -> ObjectStoreTarget {
        ObjectStoreTarget(
            .init(bucket, region: "eu-1", endpoint: "https://\(host)", isInPath: nil),
            accessKey: "AKID",
            secretKey: Secret("hush")
        )
    }

    static let folder = WebDAVTarget(
        url: "https://\(host)/dav/ann",
        user: "ann",
        password: Secret("app-password")
    )
    static let login = OutboundRequest.Field.basicAuthorisation(
        user: "ann",
        password: Secret("app-password")
    ).value.revealed

    /// Google with the key of RFC 7515 and a token from the same host.
    static func google(
        _ clock: any NodeClock,
        bucket: String = "air",
        _ steps: GoogleStorageTarget.Steps = .init(),
        _ sessions: any UploadSessions = MemorySessions()
    ) throws -> GoogleStorageTarget {
        GoogleStorageTarget(
            bucket: bucket,
            try #require(GoogleAccount(account)),
            url: MaskedText("https://\(host)"),
            clock: clock,
            resuming: (steps, sessions)
        )
    }

    static var account: Secret { account(tokenURL: "https://\(host)/token") }

    static func account(tokenURL: String) -> Secret {
        let members = [
            ("type", "service_account"), ("private_key_id", "k1"),
            ("private_key", SignatureTests.rsa), ("token_uri", tokenURL),
            ("client_email", "roost@air.iam.gserviceaccount.com"),
        ]
        let texts = members.map { (key: $0.0, value: WireJSON.string($0.1)) }
        return Secret(WireJSON.object(texts))
    }

    // MARK: Bytes

    @Test func writesEachByteForS3() async throws {
        let request = Self.store().upload(try await Self.file())
        let path = "hourly/Sun%20Nov%20%206%2007%3A49%3A04%202022.csv"
        #expect(request.url.revealed == "https://files.example/air/\(path)")
        #expect(request.method == .put)
        // The expected hashes come from `md5sum` and `sha256sum`.
        let fields = [
            ("content-md5", "l8G+7mlebOYpb4VjNV1ayg=="), ("if-none-match", "*"),
            ("x-amz-meta-md5", "97c1beee695e6ce6296f8563355d5aca"),
            (
                "x-amz-content-sha256",
                "c16eef634e755ce6b06375201a7cd365ed23d3b588dbcae0d5a6034509995ab8"
            ),
        ]
        for (name, value) in fields { #expect(request.field(name) == value) }
        #expect(request.signature?.service == "s3" && request.signature?.region == "eu-1")
        let amazon = ObjectStoreTarget(
            .init("air", region: "eu-central-1", endpoint: nil, isInPath: nil),
            accessKey: "AKID",
            secretKey: Secret("hush")
        )
        let url = "https://air.s3.eu-central-1.amazonaws.com/\(path)"
        #expect(amazon.upload(try await Self.file()).url.revealed == url)
        #expect(!amazon.upload(try await Self.file()).dryRun.contains("hush"))
    }

    @Test func writesEachByteForWebDAV() async throws {
        let request = Self.folder.upload(try await Self.file())
        let path = "hourly/Sun%20Nov%20%206%2007%3A49%3A04%202022.csv"
        #expect(request.url.revealed == "https://files.example/dav/ann/\(path)")
        #expect(request.field("if-none-match") == "*")
        #expect(request.field("authorization") == "Basic YW5uOmFwcC1wYXNzd29yZA==")
        #expect(!request.dryRun.contains("YW5u"))
    }

    /// The signature is that of Python's `cryptography` for the same key and claims.
    @Test func signsGooglesClaim() throws {
        let file = Self.account(tokenURL: "https://oauth2.example/token")
        let account = try #require(GoogleAccount(file))
        let claim = try account.claim(at: TargetFixture.time)
        let expected =
            "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImsxIn0.eyJpc3MiOiJyb29zdEBhaXIuaW"
            + "FtLmdzZXJ2aWNlYWNjb3VudC5jb20iLCJzY29wZSI6Imh0dHBzOi8vd3d3Lmdvb2dsZWFwaXMuY29t"
            + "L2F1dGgvZGV2c3RvcmFnZS5yZWFkX3dyaXRlIiwiYXVkIjoiaHR0cHM6Ly9vYXV0aDIuZXhhbXBsZS"
            + "90b2tlbiIsImlhdCI6MTc5NTMyMTgwMCwiZXhwIjoxNzk1MzI1NDAwfQ.DQk3C-8OL3Vukj8AMZB8C"
            + "VQoHa1dVSt4l11aHckE16PFC_YJUguoHFwgQePQ-m0vtnBzTlPRVH0IBsLHlLPZZbstDljCZddOTmM"
            + "x6VxmvX5pzrtg2jQu-i-MSX6x6ooguGuzsG-utq5xizjj3ed06ZCjrp3xBpQyM12h2dXSvJT-wMdPe"
            + "-iyPtfUyIIyd6YQQc1ohep9tryWDB5HBOks1tm5kdScso9RM_QndApd8UkR7gOUoG_tSm-Gab2H2oy"
            + "iPPJVTd5vLUIqisO4HSQJG6BOhWMqP5EqmHJl9_YivQrpFjxFYqlb30M5IbVxy5BebDBRCbnY8FtFq"
            + "iXlpVVCIA"
        #expect(claim.reveal() == expected)
        let request = account.request(claim)
        #expect(request.url.revealed == "https://oauth2.example/token")
        #expect(request.text.hasPrefix("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt"))
        #expect(request.text.hasSuffix("&assertion=\(expected)"))
        #expect(!request.dryRun.contains(expected))
    }

    @Test func refusesWhatIsNoAccount() {
        for text in ["", "{}", #"{"client_email":"a"}"#, "[1]"] {
            #expect(GoogleAccount(Secret(text)) == nil)
        }
        let wrong = Secret(#"{"client_email":"a","private_key":"none"}"#)
        #expect(throws: CryptoFailure.self) {
            try GoogleAccount(wrong)?.claim(at: TargetFixture.time)
        }
    }

    // MARK: Names that are taken

    private enum Kind: String, CaseIterable { case google, s3, webdav }

    private func world(
        _ kind: Kind,
        _ clock: SimulatedClock,
        _ stored: ServerFiles
    ) throws -> (any FileTarget, SimulatedInternet) {
        let internet = SimulatedInternet(clock: clock)
        clock.setWallTime(TargetFixture.time)
        let target: any FileTarget
        switch kind {
        case .google:
            let host = "https://\(Self.host)"
            internet.add(GoogleStorageServer(bucket: "air", host: host, stored), at: Self.host)
            target = try Self.google(clock)
        case .s3:
            let server = ObjectStoreServer(bucket: "air", accessKey: "AKID", stored)
            internet.add(server, at: Self.host)
            target = Self.store()
        case .webdav:
            let server = WebDAVServer(login: Self.login, root: "/dav/ann", stored)
            internet.add(server, at: Self.host)
            target = Self.folder
        }
        return (target, internet)
    }

    @Test(arguments: Kind.allCases)
    private func keepsAFileOfAnotherWriter(kind: Kind) throws {
        try simulate { clock in
            let stored = ServerFiles()
            let (target, internet) = try world(kind, clock, stored)
            let theirs = [Array("theirs".utf8), Array("PM2.5,12.4\r\n".utf8)]
            for (number, bytes) in theirs.enumerated() {
                let path = "hourly/\(number).csv"
                stored.place(path, bytes)
                let file = try await Self.file(path: path)
                // The target makes the folder on a server that does not make it by itself.
                let outcome = try await target.deliver(file, over: internet)
                #expect(outcome.name == "refused", "\(outcome)")
                #expect(outcome.reason?.code == "name-taken")
                #expect(stored.files[path] == bytes)
            }
        }
    }

    @Test(arguments: Kind.allCases)
    private func takesAnEqualFileAsDelivered(kind: Kind) throws {
        try simulate { clock in
            let stored = ServerFiles()
            let (target, internet) = try world(kind, clock, stored)
            let file = try await Self.file((0..<200_000).map { UInt8($0 % 251) })
            internet.set(.answerLost, at: Self.host)
            var names: [String] = []
            for fault in [NetworkFault.answerLost, nil, nil] {
                internet.set(fault, at: Self.host)
                names.append(try await target.deliver(file, over: internet).name)
            }
            #expect(names[1...] == ["delivered", "delivered"])
            #expect(stored.writes == [Self.path: 1])
        }
    }

    @Test(arguments: Kind.allCases)
    private func saysWhatTheReceiverHasAndChangesNothing(kind: Kind) throws {
        try simulate { clock in
            let stored = ServerFiles()
            let (target, internet) = try world(kind, clock, stored)
            let file = try await Self.file((0..<200_000).map { UInt8($0 % 251) })
            #expect(try await target.holding(of: file, over: internet) == .missing)
            #expect(stored.files.isEmpty)
            _ = try await target.deliver(file, over: internet)
            #expect(try await target.holding(of: file, over: internet) == .equal)
            let other = try await Self.file((0..<200_000).map { UInt8($0 % 241) })
            #expect(try await target.holding(of: other, over: internet) == .other)
            for fault in [NetworkFault.captivePortal, .unreachable, .wrongCertificate, .silent] {
                internet.set(fault, at: Self.host)
                let holding = try await target.holding(of: file, over: internet)
                guard case .unanswered = holding else {
                    Issue.record("\(fault): \(holding)")
                    continue
                }
            }
        }
    }

    @Test(arguments: Kind.allCases)
    private func namesWhatKeepsItFromSending(kind: Kind) throws {
        let faults: [(NetworkFault, String)] = [
            (.status(503, retryAfterSeconds: 60), "later"), (.captivePortal, "foreign"),
            (.wrongCertificate, "hold"), (.unreachable, "later"), (.silent, "unknown"),
            (.status(403, retryAfterSeconds: nil), "hold"),
            (.status(507, retryAfterSeconds: nil), "hold"),
            (.status(404, retryAfterSeconds: nil), "hold"),
            (.status(423, retryAfterSeconds: nil), "later"),
        ]
        try simulate { clock in
            let stored = ServerFiles()
            let (target, internet) = try world(kind, clock, stored)
            let file = try await Self.file()
            for (fault, name) in faults {
                internet.set(fault, at: Self.host)
                let outcome = try await target.deliver(file, over: internet)
                #expect(outcome.name == name, "\(fault): \(outcome)")
            }
            #expect(stored.files.isEmpty)
            internet.set(nil, at: Self.host)
            #expect(try await target.deliver(file, over: internet) == .delivered)
        }
    }

    // MARK: S3's own answers

    private struct Answering: SimulatedServer {
        let answers: [OutboundRequest.Method: OutboundAnswer]

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            answers[request.method] ?? OutboundAnswer(500)
        }
    }

    @Test(arguments: [
        (403, "RequestTimeTooSkewed", "hold", "clock-skewed"),
        (403, "SignatureDoesNotMatch", "hold", "status-403"),
        (404, "NoSuchBucket", "hold", "status-404"),
        (301, "PermanentRedirect", "hold", "other-region"),
        (400, "AuthorizationHeaderMalformed", "hold", "other-region"),
        (409, "ConditionalRequestConflict", "later", "conflict"),
        (400, "BadDigest", "later", "damaged"), (501, "NotImplemented", "hold", "no-condition"),
        (503, "SlowDown", "later", "status-503"), (400, "InvalidRequest", "refused", "status-400"),
    ])
    func judgesWhatS3Answers(status: Int, code: String, name: String, reason: String) throws {
        let text = "<?xml version=\"1.0\"?><Error><Code>\(code)</Code></Error>"
        let server = Answering(answers: [.put: OutboundAnswer(status, text: text)])
        try TargetFixture.inNetwork([Self.host: server]) { network in
            let outcome = try await Self.store().deliver(try await Self.file(), over: network)
            #expect(outcome.name == name)
            #expect(outcome.reason?.code == reason)
        }
    }

    @Test func provesByTheHashThatS3Names() throws {
        let ours = "97c1beee695e6ce6296f8563355d5aca"
        let answers: [([String: String], String)] = [
            (["etag": "\"\(ours)\""], "delivered"), (["etag": "\"0123\""], "later"),
            ([:], "foreign"),
            (["etag": "\"0123\"", "x-amz-server-side-encryption": "aws:kms"], "delivered"),
            (["etag": "\"\(ours)\"", "content-type": "text/html"], "delivered"),
        ]
        for (fields, name) in answers {
            let server = Answering(answers: [.put: OutboundAnswer(200, fields)])
            try TargetFixture.inNetwork([Self.host: server]) { network in
                let outcome = try await Self.store().deliver(try await Self.file(), over: network)
                #expect(outcome.name == name, "\(fields)")
            }
        }
        // A tag that is no MD5, with the hash that was stored beside it.
        let head = OutboundAnswer(200, ["etag": "\"a-2\"", "x-amz-meta-md5": ours])
        let server = Answering(answers: [.put: OutboundAnswer(412), .head: head])
        try TargetFixture.inNetwork([Self.host: server]) { network in
            let outcome = try await Self.store().deliver(try await Self.file(), over: network)
            #expect(outcome == .delivered)
        }
    }

    // MARK: Google's tokens and steps

    @Test func renewsATokenBeforeItsHourIsOverAndAfterARefusal() throws {
        try simulate { clock in
            let stored = ServerFiles()
            let internet = SimulatedInternet(clock: clock)
            let server = GoogleStorageServer(bucket: "air", host: "https://\(Self.host)", stored)
            internet.add(server, at: Self.host)
            let target = try Self.google(clock)
            let first = try await target.deliver(try await Self.file(path: "0"), over: internet)
            #expect(first.reason?.code == "time-unknown")
            clock.setWallTime(TargetFixture.time)
            for (number, wait) in [0, 2_990, 20, 0].enumerated() {
                try await clock.sleep(for: .seconds(wait))
                if number == 3 { server.endToken() }
                let file = try await Self.file(path: "\(number)")
                #expect(try await target.deliver(file, over: internet) == .delivered)
            }
            #expect(server.tokenCount == 3)
            #expect(stored.order == ["0", "1", "2", "3"])
        }
    }

    @Test func goesOnWithALargeFileWhereItWasCut() throws {
        try simulate { clock in
            let stored = ServerFiles()
            let internet = SimulatedInternet(clock: clock)
            let server = GoogleStorageServer(bucket: "air", host: "https://\(Self.host)", stored)
            internet.add(server, at: Self.host)
            clock.setWallTime(TargetFixture.time)
            var steps = GoogleStorageTarget.Steps()
            (steps.wholeLimit, steps.size) = (300_000, 524_288)
            let sessions = MemorySessions()
            let target = try Self.google(clock, steps, sessions)
            let bytes = (0..<1_400_000).map { UInt8($0 % 251) }
            let file = try await Self.file(bytes)
            server.failStep(after: 2)
            #expect(try await target.deliver(file, over: internet).name == "later")
            #expect(try await target.deliver(file, over: internet) == .delivered)
            #expect(server.sessionCount == 1)
            #expect(stored.files[Self.path] == bytes)
            // A session that the receiver has forgotten is begun anew.
            let next = try await Self.file(bytes.reversed(), path: "2.csv")
            server.failStep(after: 2)
            #expect(try await target.deliver(next, over: internet).name == "later")
            server.loseSessions()
            #expect(try await target.deliver(next, over: internet) == .delivered)
            #expect(server.sessionCount == 3)
            #expect(stored.writes == [Self.path: 1, "2.csv": 1])
            let other = try await Self.file(bytes, path: "2.csv")
            #expect(try await target.deliver(other, over: internet).name == "refused")
        }
    }

    @Test func readsElementsWhateverTheirPrefix() throws {
        let server = WebDAVServer(login: Self.login, root: "/dav/ann")
        try TargetFixture.inNetwork([Self.host: server]) { network in
            let file = try await Self.file(path: "a/b/c.csv")
            #expect(try await Self.folder.deliver(file, over: network) == .delivered)
            #expect(server.stored.order == ["a/b/c.csv"])
            let methods = network.sent.map(\.method)
            #expect(
                methods == [.put, .makeCollection, .makeCollection, .put, .findProperties]
            )
        }
    }
}
