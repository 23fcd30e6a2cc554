import FileIO
import Glibc
import HTTPTypes
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import RoostWeb

@Suite struct EncryptionTests {
    @Test func keepsAuthorityAndCertificateOverRestarts() throws {
        let stage = try EncryptionStage()
        #expect(stage.encryption().context(for: "192.168.1.7") != nil)
        let (authority, server) = (try stage.text("authority.pem"), try stage.text("server.pem"))
        #expect(stage.encryption().context(for: "192.168.1.7") != nil)
        #expect(try stage.text("authority.pem") == authority)
        #expect(try stage.text("server.pem") == server)
        for name in ["authority.pem", "server.pem"] {
            var info = stat()
            #expect(stat(stage.folder.path(name), &info) == 0)
            #expect(info.st_mode & 0o777 == 0o600)
        }
    }

    @Test func oneContextServesAllWhileNothingChanges() throws {
        let encryption = try EncryptionStage().encryption()
        let first = encryption.context(for: "192.168.1.7")
        #expect(encryption.context(for: "::ffff:192.168.1.7") === first)
        #expect(encryption.context(for: "127.0.0.1") === first)
        #expect(encryption.context(for: "8.8.8.8") === first, "not a private one")
        #expect(encryption.context(for: "192.168.1.8") !== first)
    }

    @Test func addressesAreAddedAndBounded() throws {
        let stage = try EncryptionStage()
        let encryption = stage.encryption()
        for last in 1...12 { _ = encryption.context(for: "192.168.1.\(last)") }
        let read = try stage.certificate("server.pem")
        for last in 5...12 { #expect(read.isFor("192.168.1.\(last)")) }
        #expect(!read.isFor("192.168.1.4"))
        // The next process knows them still.
        _ = stage.encryption().context(for: "10.0.0.1")
        #expect(try stage.certificate("server.pem").isFor("192.168.1.12"))
    }

    @Test func certificateIsRenewedAtTwoThirds() throws {
        let stage = try EncryptionStage()
        let encryption = stage.encryption()
        _ = encryption.context(for: "10.0.0.1")
        let (authority, before) = (try stage.text("authority.pem"), try stage.text("server.pem"))
        stage.pass(days: 263)
        _ = encryption.context(for: "10.0.0.1")
        #expect(try stage.text("server.pem") == before)
        stage.pass(days: 1)
        _ = encryption.context(for: "10.0.0.1")
        #expect(try stage.text("server.pem") != before)
        #expect(try stage.text("authority.pem") == authority)
    }

    @Test(arguments: ["", "half", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func damagedFilesAreMadeAnew(text: String) throws {
        let stage = try EncryptionStage()
        _ = stage.encryption().context(for: nil)
        for name in ["authority.pem", "server.pem"] {
            let path = stage.folder.path(name)
            let content = try text == "half" ? String(stage.text(name).prefix(700)) : text
            try Files.replace(path, with: Array(content.utf8), mode: 0o600)
            #expect(stage.encryption().context(for: nil) != nil)
            #expect(KeyPair(reading: try stage.text(name)) != nil)
            #expect(stage.log.all.contains { $0.hasPrefix("\(path) is damaged") })
        }
    }

    @Test func otherNamesNeedAnotherAuthority() throws {
        let stage = try EncryptionStage()
        _ = stage.encryption().context(for: nil)
        let before = try stage.text("authority.pem")
        _ = stage.encryption(names: ["attic"]).context(for: nil)
        #expect(try stage.text("authority.pem") != before)
        #expect(try stage.certificate("server.pem").isFor("attic.local"))
        #expect(stage.log.all.contains { $0.contains("have to trust the new one") })
    }

    @Test func folderThatCannotBeWrittenIsSaidOnce() throws {
        let stage = try EncryptionStage()
        let settings = Encryption.Settings(
            folder: stage.folder.path("missing"),
            station: "b",
            names: ["b"]
        )
        let encryption = Encryption(settings, clock: stage.clock, logger: stage.log.logger)
        for _ in 0..<3 { #expect(encryption.context(for: nil) == nil) }
        #expect(stage.log.all.count == 1)
        #expect(encryption.facts == Encryption.Facts())
    }

    // MARK: The owner's certificate

    @Test func ownCertificateServesItsName() throws {
        let stage = try EncryptionStage()
        let place = try stage.bring("air.example.org")
        let encryption = stage.encryption(names: ["balcony", "air.example.org"], own: place)
        #expect(encryption.context(for: nil) != nil)
        #expect(encryption.isOwn("air.example.org"))
        #expect(!encryption.isOwn("balcony.local"))
        #expect(encryption.facts.ownUntil != nil)
        #expect(stage.log.all.allSatisfy { !$0.contains("not used") })
    }

    @Test func changedFilesAreReadAtTheNextConnection() throws {
        let stage = try EncryptionStage()
        let place = try stage.bring("air.example.org")
        let encryption = stage.encryption(names: ["balcony", "air.example.org"], own: place)
        let first = encryption.context(for: nil)
        #expect(encryption.context(for: nil) === first)
        _ = try stage.bring("air.example.org")
        #expect(encryption.context(for: nil) !== first)
        // Only one of both is new yet: the pair before goes on.
        let half = try Authority.make("x", CertificateNames(["air.example.org"]))
        try Files.replace(place.certificate, with: Array(half.certificate.utf8), mode: 0o600)
        #expect(encryption.isOwn("air.example.org"))
        #expect(stage.log.all.contains { $0.contains("the one before serves") })
    }

    @Test func wrongOwnCertificateLeavesTheAuthority() throws {
        let stage = try EncryptionStage()
        let place = try stage.bring("air.example.org")
        let wrongName = stage.encryption(own: place)
        #expect(wrongName.context(for: nil) != nil && !wrongName.isOwn("air.example.org"))
        let names = ["balcony", "air.example.org"]
        let old = try stage.bring("air.example.org", until: EncryptionStage.start - 1)
        #expect(!stage.encryption(names: names, own: old).isOwn("air.example.org"))
        let missing = OwnCertificate.Place(certificate: "/nonexistent/a", key: place.key)
        #expect(stage.encryption(names: names, own: missing).context(for: nil) != nil)
        for words in ["is for DNS:air.example.org", "ended at", "/nonexistent/a is not there"] {
            #expect(stage.log.all.filter { $0.contains(words) }.count == 1, "\(words)")
        }
    }

    @Test func ownCertificateEndsInUse() throws {
        let stage = try EncryptionStage()
        let place = try stage.bring("air.example.org")
        let encryption = stage.encryption(names: ["balcony", "air.example.org"], own: place)
        #expect(encryption.isOwn("air.example.org"))
        stage.pass(days: 397)
        #expect(!encryption.isOwn("air.example.org"))
        #expect(encryption.context(for: nil) != nil)
        #expect(stage.log.all.filter { $0.contains("ended at") }.count == 1)
    }

    @Test func onlyTheOwnersNameIsSentToHTTPS() async throws {
        let stage = try EncryptionStage()
        let place = try stage.bring("air.example.org")
        let encryption = stage.encryption(names: ["balcony", "air.example.org"], own: place)
        let redirect = HTTPSRedirect(encryption, port: 8_443)
        let ask = { (method: HTTPRequest.Method, scheme: String, host: String) in
            let head = Gate.Head(method, scheme: scheme, authority: host, target: "/history?a=1")
            return await redirect.answer(head)?.headers[.location]
        }
        let location = "https://air.example.org:8443/history?a=1"
        #expect(await ask(.get, "http", "Air.example.org:80") == location)
        for (method, scheme, host) in [
            (HTTPRequest.Method.get, "https", "air.example.org"),
            (.post, "http", "air.example.org"),
            (.get, "http", "balcony.local"), (.get, "http", ""), (.get, "http", "192.168.1.7"),
        ] { #expect(await ask(method, scheme, host) == nil) }
    }

    /// Only a browser with the cookie that it trusts this authority is redirected.
    @Test func aBrowserThatHasTrustedIsSentToHTTPS() async throws {
        let stage = try EncryptionStage()
        let encryption = stage.encryption(names: ["balcony"])
        let mark = try #require(encryption.facts.fingerprint)
        let gate = Gate(
            RouteTable([]),
            hosts: HostNames(["balcony"]),
            authenticator: OpenAuthenticator(.viewer)
        )
        let redirect = HTTPSRedirect(encryption, port: 8_443)
        let responder = WebResponder(gate, redirect: redirect, logger: RouteStage.logger)
        let ask = { (target: String, cookie: String, scheme: String) in
            let head = Gate.Head(
                .get,
                scheme: scheme,
                authority: "Balcony.local:80",
                target: target,
                headers: [.cookie: cookie]
            )
            return await responder.answer(head) { _ in [] }
        }
        let answer = await ask("/history?a=1", "b=2; roost-trusts=\(mark)", "http")
        // No browser may keep it: the authority can be another one tomorrow.
        #expect(answer.status == .temporaryRedirect)
        #expect(answer.headers[.location] == "https://balcony.local:8443/history?a=1")
        #expect(answer.headers[.cacheControl] == "no-store")
        let other = mark.replacing("A", with: "B").replacing("0", with: "1")
        for (target, cookie, scheme) in [
            ("/history", "roost-trusts=\(other)", "http"), ("/history", "roost-trusts=", "http"),
            ("/history", "a=b", "http"), ("/history", "roost-trusts=\(mark)", "https"),
            // By which a device comes to trust the station again.
            ("/trust", "roost-trusts=\(mark)", "http"), ("/ca.pem", "roost-trusts=\(mark)", "http"),
            // A page that is open goes on by the way it came.
            ("/api/v1/station", "roost-trusts=\(mark)", "http"),
        ] {
            let answer = await ask(target, cookie, scheme)
            #expect(answer.headers[.location] == nil, "\(scheme) \(target) \(cookie)")
        }
        // Behind a proxy that speaks TLS the page is by HTTPS already.
        var headers: HTTPFields = [.cookie: "roost-trusts=\(mark)"]
        headers[try #require(HTTPField.Name("X-Forwarded-Proto"))] = "https"
        let head = Gate.Head(.get, authority: "balcony.local", target: "/", headers: headers)
        #expect(await redirect.answer(head)?.status == nil)
    }

    /// A card that hangs delays a new encrypted connection, and nothing else of the page.
    @Test func theLoopGoesOnWhileACertificateIsMade() async throws {
        let stage = try EncryptionStage()
        _ = stage.encryption().context(for: nil)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        defer { for end in [reading, writing] { close(end) } }
        let settings = Encryption.Settings(
            folder: stage.folder.path,
            station: "balcony",
            names: ["balcony", "air.example.org"],
            own: try stage.bring("air.example.org")
        )
        let encryption = Encryption(
            settings,
            clock: stage.clock,
            trusted: {
                var byte: UInt8 = 0
                return read(reading, &byte, 1) == 1 ? nil : 0
            },
            logger: stage.log.logger
        )
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let context = encryption.context(for: "10.0.0.1", on: loop)
        let isOwn = loop.submit { encryption.isOwn("air.example.org") }
        #expect(try await isOwn.get())
        #expect(write(writing, [UInt8](repeating: 0, count: 8), 8) == 8)
        #expect(try await context.get() != nil)
    }
}
