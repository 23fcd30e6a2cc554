import FileIO
import Synchronization
import TestSupport
import Testing

@testable import RoostWeb

/// A clock that is wrong for a while leaves nothing wrong behind.
@Suite struct WrongClockTests {
    private static let day: Int64 = 86_400

    /// Tests nine years ahead, as a Pi without a network may be, a year either way, and 1970.
    @Test(arguments: [9 * 365, 365, -365, -20_000] as [Int64])
    func anAuthorityIsGoodWhateverTheClockSaidAtFirst(days: Int64) throws {
        let stage = try EncryptionStage()
        stage.pass(days: days)
        #expect(stage.encryption().context(for: "10.0.0.1") != nil)
        let authority = try stage.text("authority.pem")
        stage.pass(days: -days)
        let encryption = stage.encryption()
        #expect(encryption.context(for: "10.0.0.1") != nil)
        #expect(try stage.text("authority.pem") == authority)
        let now = EncryptionStage.start
        for name in ["authority.pem", "server.pem"] {
            let read = try stage.certificate(name)
            #expect(read.from <= now && now < read.until, "\(name)")
        }
        let (signer, server) = (
            try stage.certificate("authority.pem"), try stage.certificate("server.pem")
        )
        #expect(server.isSigned(by: signer) && server.isFor("10.0.0.1"))
    }

    /// In one process and over a restart: phones that trusted it find the same one.
    @Test(arguments: [40 * 365, 9 * 365, -9 * 365] as [Int64])
    func aClockThatGoesWrongLaterReplacesNoAuthority(days: Int64) throws {
        let stage = try EncryptionStage()
        let first = stage.encryption()
        #expect(first.context(for: "10.0.0.1") != nil)
        let authority = try stage.text("authority.pem")
        stage.pass(days: days)
        #expect(first.context(for: "10.0.0.1") != nil)
        #expect(stage.encryption().context(for: "10.0.0.1") != nil)
        #expect(try stage.text("authority.pem") == authority)
        stage.pass(days: -days)
        #expect(first.context(for: "10.0.0.1") != nil)
        let read = try stage.certificate("server.pem")
        #expect(read.from <= EncryptionStage.start && EncryptionStage.start < read.until)
    }

    /// An authority dated nine years ahead by an earlier version is replaced.
    ///
    /// It is made again once the station trusts a date, as no phone can use it.
    @Test func anAuthorityOfTheFutureIsMadeAgainByATrustedDate() throws {
        let stage = try EncryptionStage()
        let begin = EncryptionStage.start + 9 * 365 * Self.day
        let names = CertificateNames(["balcony"])
        let later = try Authority.make("b", names, life: begin..<(begin + 3_650 * Self.day)).text
        try Files.replace(stage.folder.path("authority.pem"), with: Array(later.utf8), mode: 0o600)
        #expect(try stage.certificate("authority.pem").from > EncryptionStage.start)
        let encryption = stage.encryption(names: ["balcony"])
        _ = encryption.context(for: "10.0.0.1")
        #expect(try stage.text("authority.pem") == later)
        stage.isTrusted.withLock { $0 = true }
        #expect(encryption.context(for: "10.0.0.1") != nil)
        let made = try stage.certificate("authority.pem")
        #expect(made.from <= EncryptionStage.start)
        #expect(try stage.certificate("server.pem").isSigned(by: made))
        #expect(stage.log.all.contains { $0.contains("it begins on 20") })
        let kept = try stage.text("authority.pem")
        stage.pass(days: 365)
        #expect(encryption.context(for: "10.0.0.1") != nil)
        #expect(try stage.text("authority.pem") == kept)
    }

    @Test(arguments: [false, true])
    func theOwnersCertificateServesAgainWhenTheClockIsRight(isReadMeanwhile: Bool) throws {
        let stage = try EncryptionStage()
        let place = try stage.bring("air.example.org")
        let encryption = stage.encryption(names: ["balcony", "air.example.org"], own: place)
        if !isReadMeanwhile { #expect(encryption.isOwn("air.example.org")) }
        stage.pass(days: 400)
        #expect(!encryption.isOwn("air.example.org"))
        #expect(!encryption.isOwn("air.example.org"))
        #expect(stage.log.all.filter { $0.contains("ended at") }.count == 1)
        stage.pass(days: -400)
        #expect(encryption.isOwn("air.example.org"))
    }
}
