import Core
import Glibc
import TestSupport
import Testing

@testable import CourierIO
@testable import LinuxIO
@testable import RoostCourier

/// HTTPS with an authority of the tests.
@Suite struct EncryptionTests {
    private static func ask(
        _ certificate: TestCertificate,
        _ trust: (TestFolder) throws -> ServerTrust
    ) throws -> Result<OutboundAnswer, NetworkFailure> {
        let folder = try TestFolder()
        let server = try LocalServer(certificate) { connection in
            try connection.read(until: "\r\n\r\n")
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            connection.waitForEnd()
        }
        defer { server.stop() }
        var request = OutboundRequest.get(server, "https")
        request.trust = try trust(folder)
        return try onLoop { [request] network in
            do {
                return .success(try await network.exchange(request))
            } catch let failure as NetworkFailure {
                return .failure(failure)
            }
        }
    }

    private static func authority(_ certificate: TestCertificate, _ folder: TestFolder) throws
        -> ServerTrust
    {
        let path = folder.path("authority.pem")
        let file = try #require(fopen(path, "w"))
        fputs(certificate.authority, file)
        fclose(file)
        return .authority(path: path)
    }

    @Test func trustsAnAuthorityOfTheStation() throws {
        let certificate = try TestCertificate()
        let answer = try Self.ask(certificate) { try Self.authority(certificate, $0) }
        #expect(try answer.get().text == "ok")
    }

    @Test func trustsAKey() throws {
        let certificate = try TestCertificate("DNS:elsewhere.localhost", until: -10)
        let key = try CurveKey(pem: Secret(certificate.key))
        // The head of a P-256 public key (RFC 5480), then its point.
        let head = try #require(
            Hexadecimal.bytes("3059301306072a8648ce3d020106082a8648ce3d030107034200")
        )
        let digest = CourierCrypto.sha256(head + key.point)
        let answer = try Self.ask(certificate) { _ in .publicKey(sha256: Base64.text(digest)) }
        #expect(try answer.get().text == "ok")
        let other = try Self.ask(certificate) { _ in
            .publicKey(sha256: Base64.text(CourierCrypto.sha256("other")))
        }
        #expect(Self.stage(other) == .certificate)
        let none = try Self.ask(certificate) { _ in .publicKey(sha256: "abc") }
        #expect(Self.stage(none) == .local)
    }

    @Test func tellsCertificatesApart() throws {
        let good = try TestCertificate()
        let unknown = try Self.ask(good) { _ in .system }
        #expect(Self.stage(unknown) == .certificate)
        #expect(Self.text(unknown).contains("is not trusted: its authority is not among"))
        let named = try TestCertificate("DNS:elsewhere.localhost,IP:127.0.0.2")
        let wrong = try Self.ask(named) { try Self.authority(named, $0) }
        #expect(Self.stage(wrong) == .certificate)
        #expect(Self.text(wrong).hasSuffix("is for another name"))
        let late = try TestCertificate(from: -7200, until: -3600)
        let expired = try Self.ask(late) { try Self.authority(late, $0) }
        #expect(Self.stage(expired) == .certificateTime)
        #expect(Self.text(expired).contains("has expired; this machine believes it is 20"))
        let early = try TestCertificate(from: 3600, until: 7200)
        let future = try Self.ask(early) { try Self.authority(early, $0) }
        #expect(Self.stage(future) == .certificateTime)
        #expect(Self.text(future).contains("not yet valid: this machine believes it is 20"))
    }

    @Test func saysThatAPortIsNotEncrypted() throws {
        let server = try LocalServer { connection in
            try connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
        }
        defer { server.stop() }
        let failure = try failure { try await $0.exchange(.get(server, "https")) }
        #expect(failure?.stage == .encryption)
        #expect(failure?.wasSent == false)
    }

    private static func stage(_ result: Result<OutboundAnswer, NetworkFailure>)
        -> NetworkFailure.Stage?
    {
        guard case .failure(let failure) = result else { return nil }
        return failure.stage
    }

    private static func text(_ result: Result<OutboundAnswer, NetworkFailure>) -> String {
        guard case .failure(let failure) = result else { return "" }
        return failure.words
    }
}
