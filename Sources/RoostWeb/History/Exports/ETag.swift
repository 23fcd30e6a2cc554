import HTTPTypes

/// Answers that a client may already have: the same question of the same history.
enum ETag {
    static func weak(_ generation: String, _ request: WebRequest) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func mix(_ text: String) {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            hash = (hash ^ 0xFF) &* 0x100_0000_01b3
        }
        mix(request.path)
        for key in request.query.keys.sorted() {
            mix(key)
            for value in request.query.all(key) { mix(value) }
        }
        return "W/\"\(generation)-\(String(hash, radix: 36))\""
    }

    static func matches(_ request: WebRequest, _ tag: String) -> Bool {
        guard let known = request.headers[.ifNoneMatch] else { return false }
        return known == "*"
            || known.split(separator: ",").contains { part in
                part.drop { $0 == " " }.elementsEqual(tag)
            }
    }

    static func notModified(_ tag: String) -> WebResponse {
        WebResponse(.notModified, headers: headers(tag))
    }

    static func json(_ text: String, _ tag: String) -> WebResponse {
        var response = WebResponse.json(text, caching: caching)
        response.headers[.eTag] = tag
        return response
    }

    private static let caching = "private, no-cache"

    private static func headers(_ tag: String) -> HTTPFields {
        [.eTag: tag, .cacheControl: caching]
    }
}
