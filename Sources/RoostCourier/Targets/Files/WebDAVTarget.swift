import Core

/// Target for files in a folder of a WebDAV server, such as Nextcloud.
///
/// Each name is written once, by `If-None-Match: *`. WebDAV has no hashes, so an existing file is
/// compared by its size and then by its bytes.
///
/// - Source: RFC 4918 (WebDAV), RFC 9110 (conditions and ranges).
struct WebDAVTarget: FileTarget {
    /// Bytes of a file that are read back by one request.
    private static let rangeSize = 48 << 10

    private let base: MaskedText
    private let login: OutboundRequest.Field?
    var trust = ServerTrust.system

    /// - Parameters:
    ///   - url: URL of the folder: `https://cloud.example.org/remote.php/dav/files/ann/roost`.
    ///   - user: User on the server; nil without a log-in.
    ///   - password: Made for this station alone, as Nextcloud's app passwords.
    init(url: MaskedText, user: String?, password: Secret?) {
        base = URLText.base(url)
        login = user.map { .basicAuthorisation(user: $0, password: password ?? Secret("")) }
    }

    /// A request for the properties of the folder.
    var probe: OutboundRequest? {
        request(.findProperties, "", [.init("Depth", "0")])
    }

    func deliver(
        _ file: OutboxFile,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        do {
            var answer = try await network.step(upload(file), uploading: file)
            if answer.status == 409 {
                try await makeFolders(of: file, network)
                answer = try await network.step(upload(file), uploading: file)
            }
            switch answer.status {
            case 200, 201, 204:
                let size = try await size(of: file, network)
                return size == file.size ? .delivered : FileAnswerClassifier.damaged
            case 412:
                let holding = try await compare(file, network)
                return FileAnswerClassifier.compare(holding) ?? FileAnswerClassifier.damaged
            default: return Self.classify(answer)
            }
        } catch let stop as FileStop {
            return stop.outcome
        }
    }

    /// Makes the request that uploads a file, if no file has its name.
    func upload(_ file: OutboxFile) -> OutboundRequest {
        let fields: [OutboundRequest.Field] = [
            .init("Content-Type", "text/csv"), .init("If-None-Match", "*"),
        ]
        var request = request(.put, file.path, fields)
        request.timeoutSeconds = 600
        return request
    }

    private func request(
        _ method: OutboundRequest.Method,
        _ path: String,
        _ fields: [OutboundRequest.Field] = []
    ) -> OutboundRequest {
        let url: MaskedText = "\(base)/\(URLText.encoded(path, keepingSlashes: true))"
        var request = OutboundRequest(method, url, fields + (login.map { [$0] } ?? []))
        request.trust = trust
        return request
    }

    /// Makes the folders of a path, the outer ones first.
    private func makeFolders(of file: OutboxFile, _ network: any CourierNetwork) async throws {
        var path = ""
        for part in file.path.split(separator: "/").dropLast() {
            path += "\(part)/"
            let answer = try await network.step(request(.makeCollection, path))
            // 405 means that the folder is there.
            guard [201, 405].contains(answer.status) else {
                throw FileStop(outcome: Self.classify(answer))
            }
        }
    }

    func holding(
        of file: OutboxFile,
        over network: any CourierNetwork
    ) async throws -> FileHolding {
        do {
            return try await compare(file, network)
        } catch let stop as FileStop {
            return stop.outcome == FileAnswerClassifier.vanished ? .missing : .of(stop.outcome)
        }
    }

    /// Asks the server for a file's size in bytes.
    private func size(of file: OutboxFile, _ network: any CourierNetwork) async throws -> Int? {
        let body = #"<?xml version="1.0"?><propfind xmlns="DAV:"><prop><getcontentlength/></prop>"#
        var question = request(
            .findProperties,
            file.path,
            [.init("Content-Type", "application/xml"), .init("Depth", "0")]
        )
        question.body = Array((body + "</propfind>").utf8)
        let answer = try await network.step(question)
        if answer.status == 404 { throw FileStop(outcome: FileAnswerClassifier.vanished) }
        guard answer.status == 207, !answer.isHTML else {
            throw FileStop(outcome: Self.classify(answer))
        }
        return XMLText.first("getcontentlength", in: answer.text).flatMap { Int($0) }
    }

    private func compare(
        _ file: OutboxFile,
        _ network: any CourierNetwork
    ) async throws -> FileHolding {
        guard try await size(of: file, network) == file.size else { return .other }
        var hash = StreamingHash(.sha256)
        for start in stride(from: 0, to: file.size, by: Self.rangeSize) {
            let end = min(start + Self.rangeSize, file.size)
            let field = OutboundRequest.Field("Range", MaskedText("bytes=\(start)-\(end - 1)"))
            let answer = try await network.step(request(.get, file.path, [field]))
            let isWhole = answer.status == 200 && file.size <= Self.rangeSize
            guard answer.status == 206 || isWhole, answer.body.count == end - start else {
                throw FileStop(
                    outcome: answer.isSuccess ? FileAnswerClassifier.damaged : Self.classify(answer)
                )
            }
            hash.add(answer.body)
        }
        return hash.finish() == file.sha256 ? .equal : .other
    }

    /// Judges an answer by its status.
    ///
    /// Servers of this kind send an HTML page with each refusal, and with a success too; the proof
    /// of a success is the size that the next question asks for.
    private static func classify(_ answer: OutboundAnswer) -> DeliveryOutcome {
        guard answer.status >= 400 else { return FileAnswerClassifier.classify(answer) }
        guard answer.status == 409 else {
            var fields = answer.fields
            fields["content-type"] = nil
            return FileAnswerClassifier.classify(OutboundAnswer(answer.status, fields))
        }
        let words = "the folder of the address is not there"
        return .hold(DeliveryReason("no-folder", words))
    }
}
