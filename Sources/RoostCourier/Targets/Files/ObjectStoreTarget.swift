import Core

/// Target for files in a bucket of S3, MinIO or another store that speaks its protocol.
///
/// Each name is written once, by `If-None-Match: *`; the hash of the body is signed along, and
/// `ETag` is its MD5. One request a file, so up to 5 GiB.
///
/// - Source: AWS, *Amazon S3 API Reference*, PutObject, HeadObject, error responses.
struct ObjectStoreTarget: FileTarget {
    /// A bucket and its address.
    struct Bucket: Hashable, Sendable {
        let name: String
        /// Region, such as `eu-central-1`.
        let region: String
        /// URL of the service, such as `https://s3.eu-central-1.amazonaws.com`.
        let endpoint: String
        /// Whether the bucket is the first part of the path instead of the host's name.
        let isInPath: Bool

        /// - Parameters:
        ///   - endpoint: nil for Amazon's own.
        ///   - isInPath: nil for what Amazon wants, and for the path with another endpoint.
        init(_ name: String, region: String, endpoint: String?, isInPath: Bool?) {
            (self.name, self.region) = (name, region)
            self.endpoint = endpoint ?? "https://s3.\(region).amazonaws.com"
            self.isInPath = isInPath ?? (endpoint != nil)
        }

        /// Returns the URL of an object.
        func url(_ path: String) -> String {
            let key = URLText.encoded(path, keepingSlashes: true)
            let base = URLText.base(MaskedText(endpoint)).revealed
            guard !isInPath, let mark = base.firstRange(of: "://")?.upperBound else {
                return "\(base)/\(URLText.encoded(name))/\(key)"
            }
            return "\(base[..<mark])\(name).\(base[mark...])/\(key)"
        }
    }

    private let bucket: Bucket
    private let signature: OutboundRequest.AWSSignature
    var trust = ServerTrust.system

    /// - Parameters:
    ///   - accessKey: Key of a user who may `s3:PutObject` and `s3:GetObject` there.
    init(_ bucket: Bucket, accessKey: String, secretKey: Secret) {
        self.bucket = bucket
        signature = OutboundRequest.AWSSignature(
            region: bucket.region,
            service: "s3",
            accessKey: accessKey,
            secretKey: secretKey
        )
    }

    func deliver(
        _ file: OutboxFile,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        do {
            let answer = try await network.step(upload(file), uploading: file)
            guard answer.status == 412 else { return classify(answer, file) }
            let present = try await network.step(question(file))
            return FileAnswerClassifier.compare(Self.holding(present, file))
                ?? Self.classify(present)
        } catch let stop as FileStop {
            return stop.outcome
        }
    }

    func holding(
        of file: OutboxFile,
        over network: any CourierNetwork
    ) async throws -> FileHolding {
        do {
            let present = try await network.step(question(file))
            return Self.holding(present, file) ?? .of(Self.classify(present))
        } catch let stop as FileStop {
            return .of(stop.outcome)
        }
    }

    /// - Returns: nil for an answer that is none of a store.
    private static func holding(_ present: OutboundAnswer, _ file: OutboxFile) -> FileHolding? {
        if present.status == 404, !present.isHTML { return .missing }
        // The tag proves that the store itself answers, whatever type it names.
        guard present.status == 200, present.fields["etag"] != nil else { return nil }
        return isOurs(present, file) ? .equal : .other
    }

    /// Makes the request that uploads a file, if no file has its name.
    func upload(_ file: OutboxFile) -> OutboundRequest {
        var request = signed(.put, file)
        request.fields = [
            .init("Content-MD5", MaskedText(file.md5Base64)),
            .init("Content-Type", "text/csv"),
            .init("If-None-Match", "*"),
            .init("x-amz-content-sha256", MaskedText(Hexadecimal.text(file.sha256))),
            .init("x-amz-meta-md5", MaskedText(file.md5Hexadecimal)),
        ]
        // The largest file of this station has 4 MB, which may take ten minutes.
        request.timeoutSeconds = 600
        return request
    }

    private func question(_ file: OutboxFile) -> OutboundRequest { signed(.head, file) }

    private func signed(_ method: OutboundRequest.Method, _ file: OutboxFile) -> OutboundRequest {
        var request = OutboundRequest(method, MaskedText(bucket.url(file.path)))
        (request.signature, request.trust) = (signature, trust)
        return request
    }

    private func classify(_ answer: OutboundAnswer, _ file: OutboxFile) -> DeliveryOutcome {
        guard answer.status == 200 else { return Self.classify(answer) }
        if Self.isOurs(answer, file) { return .delivered }
        // A store that encrypts with its own keys has no MD5 in its tag; it has checked ours.
        let isEncrypted = answer.fields["x-amz-server-side-encryption"]?.hasPrefix("aws:kms")
        if isEncrypted == true, answer.fields["etag"] != nil { return .delivered }
        return answer.fields["etag"] == nil
            ? DeliveryClassifier.classify(answer) : FileAnswerClassifier.damaged
    }

    /// Whether an object is our file, by its tag or by the hash stored with it.
    private static func isOurs(_ answer: OutboundAnswer, _ file: OutboxFile) -> Bool {
        let tag = answer.fields["etag"]?.filter { $0 != "\"" }.lowercased()
        let noted = answer.fields["x-amz-meta-md5"]?.trimming()
        return [tag, noted].contains(file.md5Hexadecimal)
    }

    private static func classify(_ answer: OutboundAnswer) -> DeliveryOutcome {
        let code = XMLText.first("Code", in: answer.text)
        func reason(_ code: String, _ words: String) -> DeliveryReason {
            DeliveryReason(code, words)
        }
        switch (answer.status, code) {
        case (_, "RequestTimeTooSkewed"):
            let words = "this station's clock and the server's differ by more than 15 min"
            return .hold(reason("clock-skewed", words))
        case (301, _), (_, "AuthorizationHeaderMalformed"), (_, "PermanentRedirect"):
            let region =
                answer.fields["x-amz-bucket-region"] ?? XMLText.first("Region", in: answer.text)
            let name = region.map { ": \(answer.line($0))" } ?? ""
            let words = "the bucket is in another region\(name)"
            return answer.isHTML
                ? DeliveryClassifier.classify(answer) : .hold(reason("other-region", words))
        case (409, _): return .later(reason("conflict", "two writers of one name at once"))
        case (400, "BadDigest"), (400, "XAmzContentSHA256Mismatch"), (400, "IncompleteBody"),
            (400, "RequestTimeout"):
            return .later(reason("damaged", "the file arrived damaged"))
        case (501, _):
            let words = "the store cannot write a name only where it is free"
            return .hold(reason("no-condition", words))
        default: return FileAnswerClassifier.classify(answer)
        }
    }
}
