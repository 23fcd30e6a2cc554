import Core
import Glibc
import TestSupport
import Testing

@testable import CourierIO
@testable import LinuxIO
@testable import RoostCourier

/// Tests mail against our own servers on loopback.
@Suite struct MailTests {
    private static let text = "Subject: Roost\r\n\r\nOne\r\n.two\r\n"

    private static func message(to server: LocalServer) -> MailMessage {
        var message = MailMessage(
            url: MaskedText("smtp://127.0.0.1:\(server.port)"),
            from: "station@example.org",
            recipients: ["a@example.org", "b@example.org"],
            bytes: Array(Self.text.utf8)
        )
        (message.user, message.password) = ("station", Secret("word"))
        return message
    }

    private static func sending(_ message: MailMessage) throws
        -> Result<OutboundAnswer, NetworkFailure>
    {
        try onLoop { network in
            do {
                return .success(try await network.send(message))
            } catch let failure as NetworkFailure {
                return .failure(failure)
            }
        }
    }

    /// Sends to a server that follows a script after STARTTLS.
    private static func send(
        isProbe: Bool = false,
        _ serve: @escaping @Sendable (ServerConnection) throws -> Void
    ) throws -> (Result<OutboundAnswer, NetworkFailure>, String) {
        let certificate = try TestCertificate()
        let folder = try TestFolder()
        let path = folder.path("authority.pem")
        let file = try #require(fopen(path, "w"))
        fputs(certificate.authority, file)
        fclose(file)
        let server = try LocalServer { connection in
            try connection.write("220 test ESMTP\r\n")
            try connection.answer("EHLO", "250-test\r\n250 STARTTLS\r\n")
            try connection.answer("STARTTLS", "220 go\r\n")
            try connection.encrypt(certificate)
            try connection.answer("EHLO", "250-test\r\n250 AUTH PLAIN LOGIN\r\n")
            try serve(connection)
        }
        defer { server.stop() }
        var message = Self.message(to: server)
        message.trust = .authority(path: path)
        message.isProbe = isProbe
        return (try Self.sending(message), server.received)
    }

    /// `roost receiver try` logs in and sends nothing.
    @Test(arguments: ["235 ok", "535 no"]) func aProbeEndsWithTheLogIn(answer: String) throws {
        let (result, received) = try Self.send(isProbe: true) { connection in
            try connection.answer("AUTH PLAIN", "334 \r\n")
            try connection.answer("AHN0", "\(answer)\r\n")
            connection.waitForEnd()
        }
        let failure = Self.failure(result)
        #expect((failure == nil) == answer.hasPrefix("235"), "\(failure?.words ?? "")")
        #expect(!received.contains("MAIL"))
    }

    private static func failure(_ result: Result<OutboundAnswer, NetworkFailure>)
        -> NetworkFailure?
    {
        guard case .failure(let failure) = result else { return nil }
        return failure
    }

    @Test func sendsAMessage() throws {
        let (result, received) = try Self.send { connection in
            try connection.answer("AUTH PLAIN", "334 \r\n")
            try connection.answer("AHN0YXRpb24Ad29yZA==", "235 welcome\r\n")
            try connection.answer("MAIL FROM:<station@example.org>", "250 yes\r\n")
            try connection.answer("RCPT TO:<a@example.org>", "250 yes\r\n")
            try connection.answer("RCPT TO:<b@example.org>", "550 nobody\r\n")
            try connection.answer("DATA", "354 go on\r\n")
            try connection.read(until: "\r\n.\r\n")
            try connection.write("250 queued as 7\r\n")
            try connection.answer("QUIT", "221 bye\r\n")
        }
        let answer = try result.get()
        #expect(answer.status == 250)
        #expect(answer.text == "queued as 7")
        #expect(answer.fields["refused"] == "b@example.org: 550 nobody")
        #expect(received.contains("Subject: Roost\r\n\r\nOne\r\n..two\r\n.\r\n"))
    }

    @Test func saysThatALogInIsRefused() throws {
        let (result, _) = try Self.send { connection in
            try connection.answer("AUTH PLAIN", "334 \r\n")
            try connection.answer("AHN0", "535 wrong password\r\n")
            connection.waitForEnd()
        }
        let failure = Self.failure(result)
        #expect(failure?.stage == .notAuthorised)
        #expect(failure?.words.hasSuffix("refuses the log-in: 535 wrong password") == true)
    }

    @Test func returnsARefusalOfTheMessage() throws {
        let (result, _) = try Self.send { connection in
            try connection.answer("AUTH PLAIN", "334 \r\n")
            try connection.answer("AHN0", "235 welcome\r\n")
            try connection.answer("MAIL", "250 yes\r\n")
            try connection.answer("RCPT", "250 yes\r\n")
            try connection.answer("RCPT", "250 yes\r\n")
            try connection.answer("DATA", "354 go on\r\n")
            try connection.read(until: "\r\n.\r\n")
            try connection.write("452 disk full\r\n")
            connection.waitForEnd()
        }
        let answer = try result.get()
        #expect(answer.status == 452)
        #expect(answer.text == "disk full")
    }

    @Test func demandsEncryption() throws {
        let server = try LocalServer { connection in
            try connection.write("220 test ESMTP\r\n")
            try connection.answer("EHLO [127.0.0.1]", "250-test\r\n250 AUTH PLAIN\r\n")
            connection.waitForEnd()
        }
        defer { server.stop() }
        let result = try Self.sending(Self.message(to: server))
        #expect(Self.failure(result)?.stage == .encryption)
        #expect(!server.received.contains("AUTH"))
    }

    @Test func saysThatAServerCuts() throws {
        let (result, _) = try Self.send { try $0.answer("AUTH PLAIN", "") }
        #expect(Self.failure(result)?.stage == .closed)
    }
}

extension ServerConnection {
    /// Reads a line with a beginning, and answers it.
    fileprivate func answer(_ command: String, _ text: String) throws {
        let line = try read(until: "\r\n")
        guard line.hasPrefix(command) else { throw Ended() }
        try write(text)
    }
}
