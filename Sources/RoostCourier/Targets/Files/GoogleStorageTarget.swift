import Core
import Synchronization

/// Target for files in a bucket of Google Cloud Storage, by its JSON interface.
///
/// Each name is written once, by `ifGenerationMatch=0`; `md5Hash` of the answer is the proof. Above
/// `wholeLimit` a file goes in steps that can be resumed.
///
/// - Source: Google, *Cloud Storage JSON API*, Objects: insert, get; *Resumable uploads*.
final class GoogleStorageTarget: FileTarget {
    static let standardURL: MaskedText = "https://storage.googleapis.com"
    /// Time after which a token is replaced; it is valid for an hour.
    private static let tokenLife: Duration = .seconds(3_000)
    /// Bytes of which each step but the last has to be a multiple.
    static let stepUnit = 256 << 10

    /// Limits for uploads in steps.
    struct Steps: Hashable, Sendable {
        /// Bytes above which a file is sent in steps.
        var wholeLimit = 8 << 20
        /// Bytes of one step, a multiple of `stepUnit`.
        var size = 8 << 20

        init() {}
    }

    private let bucket: String
    private let account: GoogleAccount
    private let url: MaskedText
    private let clock: any NodeClock
    private let sessions: any UploadSessions
    private let token = Mutex<(Secret, until: MonotonicInstant)?>(nil)
    private let trust: ServerTrust
    let steps: Steps

    /// - Parameters:
    ///   - account: Account of a user who may create and get objects there.
    ///   - trust: The certificates that the service may show.
    ///   - resuming: How large files go, and where uploads are noted.
    init(
        bucket: String,
        _ account: GoogleAccount,
        url: MaskedText = standardURL,
        clock: any NodeClock,
        trust: ServerTrust = .system,
        resuming: (Steps, any UploadSessions) = (Steps(), MemorySessions())
    ) {
        (self.bucket, self.account, self.url) = (
            URLText.encoded(bucket), account, URLText.base(url)
        )
        (self.clock, self.trust, (steps, sessions)) = (clock, trust, resuming)
        precondition(steps.size % Self.stepUnit == 0, "Google takes whole 256 KiB")
    }

    func deliver(
        _ file: OutboxFile,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        do {
            let answer = try await authorised(network) { token in
                file.size > self.steps.wholeLimit
                    ? try await self.sendInSteps(file, token, network)
                    : try await network.step(self.upload(file, token), uploading: file)
            }
            if answer.status == 412 {
                let (present, holding) = try await ask(file, network)
                return FileAnswerClassifier.compare(holding) ?? Self.classify(present)
            }
            guard let hash = hash(answer) else { return Self.classify(answer) }
            return hash == file.md5Base64 ? .delivered : FileAnswerClassifier.damaged
        } catch let stop as FileStop {
            return stop.outcome
        }
    }

    /// Makes the request that uploads a whole file, if no file has its name.
    func upload(_ file: OutboxFile, _ token: Secret) -> OutboundRequest {
        let query = "uploadType=media&name=\(URLText.encoded(file.path))&ifGenerationMatch=0"
        let address: MaskedText = "\(url)/upload/storage/v1/b/\(bucket)/o?\(query)"
        var request = request(.post, address, token, [.init("Content-Type", "text/csv")])
        request.timeoutSeconds = 600
        return request
    }

    private func request(
        _ method: OutboundRequest.Method,
        _ address: MaskedText,
        _ token: Secret,
        _ fields: [OutboundRequest.Field] = []
    ) -> OutboundRequest {
        let field = OutboundRequest.Field("Authorization", "Bearer \(token)")
        var request = OutboundRequest(method, address, [field] + fields)
        request.trust = trust
        return request
    }

    func holding(
        of file: OutboxFile,
        over network: any CourierNetwork
    ) async throws -> FileHolding {
        do {
            let (answer, holding) = try await ask(file, network)
            return holding ?? .of(Self.classify(answer))
        } catch let stop as FileStop {
            return .of(stop.outcome)
        }
    }

    /// - Returns: The answer, and what it says; nil for an answer that is none of a store.
    private func ask(
        _ file: OutboxFile,
        _ network: any CourierNetwork
    ) async throws -> (OutboundAnswer, FileHolding?) {
        let name = URLText.encoded(file.path)
        let address: MaskedText = "\(url)/storage/v1/b/\(bucket)/o/\(name)?fields=md5Hash"
        let answer = try await authorised(network) { token in
            try await network.step(self.request(.get, address, token))
        }
        if answer.status == 404, !answer.isHTML { return (answer, .missing) }
        return (answer, hash(answer).map { $0 == file.md5Base64 ? .equal : .other })
    }

    private func hash(_ answer: OutboundAnswer) -> String? {
        answer.status == 200 ? WireJSON.parse(answer.body)?["md5Hash"]?.string : nil
    }

    private static func classify(_ answer: OutboundAnswer) -> DeliveryOutcome {
        guard answer.status == 404, !answer.isHTML else {
            return FileAnswerClassifier.classify(answer)
        }
        return .hold(DeliveryReason("no-bucket", "Google knows no such bucket"))
    }

    // MARK: Tokens

    /// Sends a request with a token, and once more with a new one when it is refused.
    private func authorised(
        _ network: any CourierNetwork,
        _ body: (Secret) async throws -> OutboundAnswer
    ) async throws -> OutboundAnswer {
        let answer = try await body(try await token(network))
        guard answer.status == 401, !answer.isHTML else { return answer }
        token.withLock { $0 = nil }
        return try await body(try await token(network))
    }

    private func token(_ network: any CourierNetwork) async throws -> Secret {
        let now = clock.now
        if let (token, until) = token.withLock({ $0 }), now < until { return token }
        guard let time = clock.wallTime else {
            let words = "Google asks for the time, and no time server has set the clock"
            throw FileStop(outcome: .later(DeliveryReason("time-unknown", words), afterSeconds: 60))
        }
        let claim: Secret
        do { claim = try account.claim(at: time) } catch {
            throw FileStop(outcome: .hold(DeliveryReason("bad-key", "\(error)")))
        }
        var request = account.request(claim)
        request.trust = trust
        switch GoogleAccount.token(try await network.step(request)) {
        case .success(let new):
            token.withLock { $0 = (new, now.advanced(by: Self.tokenLife)) }
            return new
        case .failure(let reason): throw FileStop(outcome: reason.outcome)
        }
    }

    // MARK: Steps

    /// Sends a file in steps, beginning with the first byte that the receiver lacks.
    ///
    /// - Returns: The last answer, or the first that is an end.
    private func sendInSteps(
        _ file: OutboxFile,
        _ token: Secret,
        _ network: any CourierNetwork
    ) async throws -> OutboundAnswer {
        let name = "\(file.path) \(file.md5Hexadecimal)"
        var (address, offset) = (MaskedText(""), 0)
        if let known = sessions.session(of: name) {
            let answer = try await network.step(put(known, "bytes */\(file.size)", token))
            switch answer.status {
            case 308: (address, offset) = (known, Self.offset(answer))
            // The session is gone: begin again.
            case 404, 410: sessions.keep(nil, of: name)
            default: return finished(answer, name)
            }
        }
        if address.revealed.isEmpty {
            let answer = try await network.step(begin(file, token))
            guard answer.status == 200, let place = answer.fields["location"], !answer.isHTML else {
                return answer
            }
            // The request carries the token, so it may go to no other server.
            guard URLText.origin(place) == URLText.origin(url.revealed) else {
                return OutboundAnswer(502, text: "an upload's address at another server")
            }
            address = MaskedText(secret: place)
            sessions.keep(address, of: name)
        }
        while true {
            let end = min(offset + steps.size, file.size)
            let range = "bytes \(offset)-\(end - 1)/\(file.size)"
            var request = put(address, range, token)
            request.timeoutSeconds = 600
            let answer = try await network.step(request, uploading: file, offset..<end)
            guard answer.status == 308 else { return finished(answer, name) }
            let next = Self.offset(answer)
            guard next > offset else {
                // The receiver accepted nothing: the next attempt asks it again.
                let reason = DeliveryReason("no-progress", "the receiver takes no more bytes")
                throw FileStop(outcome: .later(reason))
            }
            offset = next
        }
    }

    /// Forgets a session that has ended; an upload that may be tried again keeps it.
    private func finished(_ answer: OutboundAnswer, _ name: String) -> OutboundAnswer {
        let isOpen = answer.status >= 500 || [401, 408, 425, 429].contains(answer.status)
        if !isOpen { sessions.keep(nil, of: name) }
        return answer
    }

    private func begin(_ file: OutboxFile, _ token: Secret) -> OutboundRequest {
        let query = "uploadType=resumable&name=\(URLText.encoded(file.path))&ifGenerationMatch=0"
        let address: MaskedText = "\(url)/upload/storage/v1/b/\(bucket)/o?\(query)"
        return request(
            .post,
            address,
            token,
            [
                .init("X-Upload-Content-Length", MaskedText("\(file.size)")),
                .init("X-Upload-Content-Type", "text/csv"),
            ]
        )
    }

    private func put(_ address: MaskedText, _ range: String, _ token: Secret) -> OutboundRequest {
        request(.put, address, token, [.init("Content-Range", MaskedText(range))])
    }

    /// Returns the first byte that the receiver lacks, from `Range: bytes=0-524287`.
    private static func offset(_ answer: OutboundAnswer) -> Int {
        guard let text = answer.fields["range"], text.hasPrefix("bytes=0-"),
            let last = Int(text.dropFirst("bytes=0-".count))
        else { return 0 }
        return last + 1
    }
}
