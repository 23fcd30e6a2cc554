import COpenSSL
import NIOCore
import NIOEmbedded
import Testing

@testable import RoostWeb

@Suite struct TLSLayerTests {
    /// A browser double: the client's side of OpenSSL, and the channel of the server.
    private final class Browser {
        let channel = EmbeddedChannel()
        let session: OpaquePointer

        init(
            _ context: TLSContext,
            trusts authority: String?,
            host: String = "balcony.local",
            after before: Browser? = nil
        ) throws {
            let made = copenssl_connect(authority, host, before?.session)
            session = try #require(made)
            let layer = TLSLayer(try TLSSession(context), LogLines().logger)
            try channel.pipeline.syncOperations.addHandler(layer)
            try channel.connect(to: SocketAddress(ipAddress: "10.0.0.1", port: 1)).wait()
        }

        deinit {
            copenssl_free_session(session)
            _ = try? channel.finish(acceptAlreadyClosed: true)
        }

        /// Returns the client's bytes for the wire.
        func speak() -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: copenssl_waiting(session) + 1)
            return Array(bytes[..<copenssl_drain(session, &bytes, bytes.count)])
        }

        /// Carries bytes to and fro until both sides wait.
        ///
        /// - Returns: The client's last step, and what it read.
        @discardableResult
        func exchange() throws -> (step: copenssl_step, text: String) {
            var (step, text) = (COPENSSL_WAITS, "")
            for _ in 0..<20 {
                var (bytes, count) = ([UInt8](repeating: 0, count: 65_536), 0)
                step = copenssl_read(session, &bytes, bytes.count, &count)
                text += String(decoding: bytes[..<count], as: UTF8.self)
                let out = speak()
                if !out.isEmpty, channel.isActive {
                    try channel.writeInbound(ByteBuffer(bytes: out))
                }
                var heard = 0
                while case .byteBuffer(let wire) = try channel.readOutbound(as: IOData.self) {
                    heard += wire.readableBytes
                    _ = copenssl_feed(session, Array(wire.readableBytesView), wire.readableBytes)
                }
                if out.isEmpty, heard == 0, count == 0 { break }
            }
            return (step, text)
        }

        func say(_ text: String) throws {
            #expect(copenssl_write(session, text, text.utf8.count))
            try exchange()
        }
    }

    private func context() throws -> (TLSContext, authority: String) {
        let encryption = try EncryptionStage().encryption()
        let context = try #require(encryption.context(for: "10.0.0.1"))
        return (context, try #require(encryption.facts.authority))
    }

    @Test func carriesBothWays() throws {
        let (context, authority) = try context()
        let browser = try Browser(context, trusts: authority)
        try browser.exchange()
        #expect(copenssl_is_open(browser.session))
        #expect(String(cString: copenssl_version(browser.session)) == "TLSv1.3")
        try browser.say("GET / HTTP/1.1\r\n")
        #expect(
            try browser.channel.readInbound(as: ByteBuffer.self)
                == ByteBuffer(string: "GET / HTTP/1.1\r\n")
        )
        let long = String(repeating: "0123456789", count: 5_000)
        try browser.channel.writeOutbound(IOData.byteBuffer(ByteBuffer(string: long)))
        #expect(try browser.exchange().text == long)
        // Each side says that it ends.
        copenssl_close(browser.session)
        try browser.exchange()
        browser.channel.close(mode: .output, promise: nil)
        #expect(try browser.exchange().step == COPENSSL_CLOSED)
    }

    @Test func aPhoneRefusesAnotherName() throws {
        let (context, authority) = try context()
        let browser = try Browser(context, trusts: authority, host: "bank.example")
        #expect(try browser.exchange().step == COPENSSL_FAILED)
        #expect(!browser.channel.isActive)
    }

    /// The authority's key signs for another name: its name constraints forbid it.
    @Test func aPhoneRefusesWhatTheAuthorityMayNotSign() throws {
        let names = CertificateNames(["balcony"])
        let authority = try Authority.make("balcony", names)
        for (name, address, isGood) in [
            ("balcony", "10.0.0.1", true), ("bank.example", "10.0.0.1", false),
            ("balcony", "8.8.8.8", false),
        ] {
            let pair = try Authority.makeServer(
                authority,
                CertificateNames([name]),
                addresses: [address],
                now: EncryptionStage.start
            )
            let context = try TLSContext(certificates: pair.certificate, key: pair.key)
            let browser = try Browser(context, trusts: authority.certificate, host: name)
            try browser.exchange()
            #expect(copenssl_is_open(browser.session) == isGood, "\(name) \(address)")
        }
    }

    @Test func resumesASession() throws {
        let (context, authority) = try context()
        let first = try Browser(context, trusts: authority)
        try first.exchange()
        try first.channel.writeOutbound(IOData.byteBuffer(ByteBuffer(string: "x")))
        try first.exchange()
        let second = try Browser(context, trusts: authority, after: first)
        try second.exchange()
        #expect(!copenssl_is_resumed(first.session))
        #expect(copenssl_is_resumed(second.session))
    }

    @Test func servesTheOwnersCertificateToItsName() throws {
        let stage = try EncryptionStage()
        let place = try stage.bring("air.example.org")
        let encryption = stage.encryption(names: ["balcony", "air.example.org"], own: place)
        let context = try #require(encryption.context(for: nil))
        let own = try #require(encryption.facts.authority)
        #expect(try Browser(context, trusts: own).exchange().step == COPENSSL_WAITS)
        let other = try Browser(context, trusts: own, host: "air.example.org")
        #expect(try other.exchange().step == COPENSSL_FAILED, "another authority signed it")
    }

    @Test func answersPlainHTTPInPlainWords() throws {
        let browser = try Browser(context().0, trusts: nil)
        try browser.channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"))
        let answer = try browser.channel.readOutbound(as: IOData.self)
        guard case .byteBuffer(let buffer) = answer else { throw Problem.notFound("answer") }
        #expect(String(buffer: buffer).hasPrefix("HTTP/1.1 400 "))
        #expect(!browser.channel.isActive)
    }

    @Test func endsTLSOnThePlainPort() throws {
        let (channel, client) = (EmbeddedChannel(), copenssl_connect(nil, "balcony", nil))
        defer { copenssl_free_session(client) }
        try channel.pipeline.syncOperations.addHandler(PlainLayer())
        try channel.connect(to: SocketAddress(ipAddress: "10.0.0.1", port: 1)).wait()
        try channel.writeInbound(ByteBuffer(bytes: [22, 3, 1, 0, 5, 1]))
        #expect(
            try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(bytes: PlainLayer.alert)
        )
        #expect(!channel.isActive)
        let plain = EmbeddedChannel(handler: PlainLayer())
        try plain.writeInbound(ByteBuffer(string: "GET"))
        #expect(try plain.readInbound(as: ByteBuffer.self) == ByteBuffer(string: "GET"))
    }

    /// Handshakes and records with bytes changed, cut, doubled and left out: each connection goes
    /// on or ends, and nothing reaches HTTP that the client did not say.
    @Test func brokenRecordsEndTheConnection() throws {
        let (context, authority) = try context()
        var generator = SplitMix(state: 20_261_123)
        for _ in 0..<500 {
            let browser = try Browser(context, trusts: authority)
            if Int.random(in: 0..<4, using: &generator) == 0 {
                try browser.exchange()
                #expect(copenssl_write(browser.session, "GET / HTTP/1.1\r\n\r\n", 18))
            } else {
                var (bytes, count) = ([UInt8](repeating: 0, count: 64), 0)
                _ = copenssl_read(browser.session, &bytes, bytes.count, &count)
            }
            var wire = browser.speak()
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                Self.damage(&wire, &generator)
            }
            if browser.channel.isActive, !wire.isEmpty {
                try browser.channel.writeInbound(ByteBuffer(bytes: wire))
            }
            if let read = try browser.channel.readInbound(as: ByteBuffer.self) {
                #expect(String(buffer: read) == "GET / HTTP/1.1\r\n\r\n")
            }
        }
    }

    private static func damage(_ wire: inout [UInt8], _ generator: inout SplitMix) {
        guard !wire.isEmpty else { return }
        let place = Int.random(in: 0..<wire.count, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: wire.removeLast(wire.count - place)
        case 1: wire.remove(at: place)
        case 2: wire.insert(contentsOf: wire[..<place], at: place)
        default: wire[place] = UInt8.random(in: 0...255, using: &generator)
        }
    }
}
