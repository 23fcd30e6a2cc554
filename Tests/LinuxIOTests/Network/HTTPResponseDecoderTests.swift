import Core
import HardwareIO
import Testing

@Suite struct HTTPResponseDecoderTests {
    private static let good: [(String, Int, String)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, and more", 200, "hello"),
        ("HTTP/1.0 404 Not Found\r\n\r\nnothing", 404, "nothing"),
        ("HTTP/1.1 200\ncontent-length: 2\n\nok", 200, "ok"),
        ("HTTP/1.1 204 No Content\r\n\r\n", 204, ""),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, "x"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n",
            200, "abc0123456789"
        ),
    ]

    @Test(arguments: good)
    func readsAResponseHoweverItIsCut(text: String, status: Int, body: String) throws {
        let expected = HTTPResponse(status: status, body: Array(body.utf8))
        let bytes = Array(text.utf8)
        for size in 1...bytes.count {
            var decoder = HTTPResponseDecoder()
            var response: HTTPResponse?
            var rest = bytes[...]
            while response == nil, !rest.isEmpty {
                response = try decoder.receive(Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            if response == nil { response = try decoder.receive([], isAtEnd: true) }
            #expect(response == expected, "pieces of \(size)")
        }
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\n", "SSH-2.0-x\r\n\r\n", "HTTP/2 200\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab",
    ])
    func refusesWhatIsNone(text: String) {
        var decoder = HTTPResponseDecoder()
        #expect(throws: HTTPResponseDecoder.Flaw.self) {
            _ = try decoder.receive(Array(text.utf8), isAtEnd: true)
        }
    }

    @Test func keepsNoMoreThanItsBounds() {
        for text in ["HTTP/1.1 200 OK\r\nx: ", "HTTP/1.1 200 OK\r\n\r\n"] {
            var decoder = HTTPResponseDecoder()
            #expect(throws: HTTPResponseDecoder.Flaw.self) {
                _ = try decoder.receive(Array(text.utf8))
                for _ in 0..<100 {
                    _ = try decoder.receive(Array(repeating: 0x20, count: 1_024))
                }
            }
        }
    }

    /// Why it does not become a response, when it is fed that piece over and over.
    private static func flaw(_ start: String, then piece: String) -> String? {
        var decoder = HTTPResponseDecoder()
        do throws(HTTPResponseDecoder.Flaw) {
            _ = try decoder.receive(Array(start.utf8))
            for _ in 0..<100_000 { _ = try decoder.receive(Array(piece.utf8)) }
        } catch { return error.words }
        return nil
    }

    @Test func endsWhatGoesOnForEver() {
        #expect(Self.flaw("", then: "HTTP/1.1 100 Continue\r\n\r\n") == "more than 256 KiB")
        let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let chunk = "1;" + String(repeating: "x", count: 99) + "\r\ny\r\n"
        #expect(Self.flaw(chunks, then: chunk) == "more than 256 KiB")
    }

    @Test func aHeaderOfAStrangerObeysNobody() {
        let name = "\u{1B}[2J\u{7}" + String(repeating: "z", count: 5_000)
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(name)\r\n\r\n"
        let words = "encoding \\u{1b}[2J\\u{7}" + String(repeating: "z", count: 31) + "…"
        #expect(Self.flaw(head, then: "") == words)
    }

    @Test func survivesAnything() {
        var generator = SplitMix64(seed: 11)
        for _ in 0..<2_000 {
            var bytes = Array(Self.good[Int.random(in: 0..<6, using: &generator)].0.utf8)
            for _ in 0..<4 {
                let index = Int.random(in: bytes.indices, using: &generator)
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            var decoder = HTTPResponseDecoder()
            while !bytes.isEmpty {
                let count = Int.random(in: 1...bytes.count, using: &generator)
                let response = try? decoder.receive(Array(bytes.prefix(count)), isAtEnd: false)
                #expect(response?.body.count ?? 0 <= HTTPResponseDecoder.bodyLimit)
                bytes.removeFirst(count)
            }
        }
    }
}

@Suite struct HTTPTargetTests {
    @Test(
        arguments: [
            ("http://board", "board", 80, "/"),
            ("HTTP://board:8080/x?y=1", "board", 8_080, "/x?y=1"),
            ("http://[fe80::1]:81/", "fe80::1", 81, "/"),
            ("http://10.0.0.1?q", "10.0.0.1", 80, "/?q"),
        ] as [(String, String, UInt16, String)]
    )
    func readsAnAddress(text: String, host: String, port: UInt16, path: String) {
        let target = HTTPTarget(text)
        #expect(target?.host == host && target?.port == port && target?.path == path)
    }

    @Test(arguments: [
        "", "board", "https://board", "http://", "http://a b/", "http://u@board/",
        "http://board:0/",
        "http://board:x", "http://[fe80::1", "http://board/\r\nX: y", "http://a:1:2/",
        "http://b/#c",
    ])
    func refusesAnythingElse(text: String) { #expect(HTTPTarget(text) == nil) }

    @Test(
        arguments: [
            ([10, 1, 2, 3], true), ([172, 16, 0, 1], true), ([172, 32, 0, 1], false),
            ([192, 168, 1, 1], true), ([192, 169, 1, 1], false), ([8, 8, 8, 8], false),
            ([127, 0, 0, 1], true), ([169, 254, 1, 1], true), ([100, 64, 0, 1], true),
            ([0, 0, 0, 0], false),
            ([0xFE, 0x80] + Array(repeating: 0, count: 13) + [1], true),
            ([0x20, 0x01] + Array(repeating: 0, count: 13) + [1], false),
            (Array(repeating: 0, count: 15) + [1], true), (Array(repeating: 0, count: 16), false),
            (Array(repeating: 0, count: 10) + [0xFF, 0xFF, 8, 8, 8, 8], false),
            (Array(repeating: 0, count: 10) + [0xFF, 0xFF, 10, 0, 0, 1], true), ([], false),
        ] as [([UInt8], Bool)]
    )
    func asksOnlyItsOwnNetwork(address: [UInt8], isAdmitted: Bool) {
        #expect(AddressGuard.admits(address) == isAdmitted)
    }

    /// An owner's device is on the network: never this computer, nor an address without a network.
    @Test(
        arguments: [
            ([10, 1, 2, 3], true, true), ([127, 0, 0, 1], false, true),
            ([169, 254, 169, 254], false, false),
            (Array(repeating: 0, count: 15) + [1], false, true),
            (Array(repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 1], false, true),
            ([0xFE, 0x80] + Array(repeating: 0, count: 13) + [1], false, false),
            ([0xFD] + Array(repeating: 0, count: 14) + [1], true, true),
        ] as [([UInt8], Bool, Bool)]
    )
    func admitsItselfOnlyWhereThatIsAllowed(address: [UInt8], alone: Bool, loopback: Bool) {
        #expect(AddressGuard.admits(address, []) == alone)
        #expect(AddressGuard.admits(address, [.loopback]) == loopback)
    }
}
