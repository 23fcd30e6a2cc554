import CCurl
import Core
import RoostCourier

/// Options of libcurl for an HTTP request.
struct RequestOptions {
    let request: OutboundRequest
    let place: ServerAddress
    let source: Transfer.Source

    func apply(to handle: CurlHandle) throws(NetworkFailure) {
        // libcurl would send the text before the line end, such as half of a token.
        let broken = request.fields.first { field in
            field.value.revealed.utf8.contains { $0 < 0x20 || $0 == 0x7F }
        }
        if let broken {
            let words = "the value of \(broken.name) has a line break or another control character"
            throw NetworkFailure(.notAuthorised, "\(words): store the secret anew")
        }
        try handle.set(CURLOPT_URL, request.url.revealed)
        // Dots and double slashes in a file's name must not be normalised.
        try handle.set(CURLOPT_PATH_AS_IS, 1)
        try setMethod(handle)
        try handle.set(CURLOPT_HTTPHEADER, fields)
        try setVersion(handle)
        try sign(handle)
    }

    private func setMethod(_ handle: CurlHandle) throws(NetworkFailure) {
        if request.method == .head { try handle.set(CURLOPT_NOBODY, 1) }
        if source.size > 0 || request.method == .put {
            try handle.set(CURLOPT_UPLOAD, 1)
            try handle.setSize(CURLOPT_INFILESIZE_LARGE, source.size)
        } else if request.method == .post || request.method == .patch {
            try handle.set(CURLOPT_POST, 1)
            try handle.setSize(CURLOPT_POSTFIELDSIZE_LARGE, 0)
        }
        if case .stream = source {
            // A stream cannot be sent twice, as a kept connection that closes would require.
            try handle.set(CURLOPT_FRESH_CONNECT, 1)
        } else if request.isOnce {
            try handle.set(CURLOPT_FRESH_CONNECT, 1)
            try handle.set(CURLOPT_FORBID_REUSE, 1)
        }
        try handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }

    private func setVersion(_ handle: CurlHandle) throws(NetworkFailure) {
        let version: Int
        switch (request.needsHTTP2, place.scheme) {
        case (false, _): version = CURL_HTTP_VERSION_1_1
        case (true, "https"): version = CURL_HTTP_VERSION_2TLS
        case (true, _): version = CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
        }
        try handle.set(CURLOPT_HTTP_VERSION, version)
    }

    /// Header fields that we set.
    private var fields: [String] {
        var lines = request.fields.map { "\($0.name): \($0.value.revealed)" }
        func add(_ name: String, _ line: String) {
            let isThere = request.fields.contains { $0.name.lowercased() == name }
            if !isThere { lines.append(line) }
        }
        add("user-agent", "User-Agent: roost-courier/\(RoostVersion.text)")
        if request.signature == nil {
            // Do not wait for a permission to send. libcurl 7.88 would sign the empty field.
            add("expect", "Expect:")
            add("content-type", "Content-Type:")
        } else {
            add("x-amz-content-sha256", "x-amz-content-sha256: \(bodyHash)")
        }
        return lines
    }

    /// Hash of the body; libcurl 7.88 would sign an upload as if it were empty.
    private var bodyHash: String {
        switch source {
        case .bytes(let bytes): Hexadecimal.text(CourierCrypto.sha256(bytes))
        case .stream: "UNSIGNED-PAYLOAD"
        }
    }

    private func sign(_ handle: CurlHandle) throws(NetworkFailure) {
        guard let signature = request.signature else { return }
        let scope = "aws:amz:\(signature.region):\(signature.service)"
        try handle.set(CURLOPT_AWS_SIGV4, scope)
        try handle.set(CURLOPT_USERNAME, signature.accessKey)
        try handle.set(CURLOPT_PASSWORD, signature.secretKey.reveal())
    }
}
