import Core
import Testing

@testable import CourierIO
@testable import LinuxIO
@testable import RoostCourier

/// Tests MQTT against mosquitto, and against a scripted broker that fails.
@Suite struct BrokerTests {
    private static let hasMosquitto: Comment = "mosquitto is not installed: apt install mosquitto"

    private static func message(_ topic: String, _ text: String) -> BrokerMessage {
        BrokerMessage(topic: topic, payload: Array(text.utf8))
    }

    @Test(.enabled(if: MosquittoServer.isThere, hasMosquitto))
    func publishesAndReceives() throws {
        let server = try MosquittoServer()
        let settings = server.settings("roost-1")
        let (codes, messages) = try onLoop { network in
            let broker = try await network.connect(settings)
            #expect(broker.protocolVersion == 5)
            let nowhere = try await broker.publish(Self.message("a/b", "unheard"))
            try await broker.subscribe("a/b")
            let heard = try await broker.publish(Self.message("a/b", "heard"))
            let first = try await broker.nextMessage()
            let kept = BrokerMessage(topic: "a/c", payload: [1, 0, 2], isRetained: true)
            let retained = try await broker.publish(kept)
            try await broker.subscribe("a/c")
            let second = try await broker.nextMessage()
            await broker.close()
            let end = try await broker.nextMessage()
            return ([nowhere, heard, retained], [first, second, end])
        }
        #expect(codes == [0x10, 0, 0x10])
        #expect(messages[0]?.payload == Array("heard".utf8))
        #expect(messages[1] == BrokerMessage(topic: "a/c", payload: [1, 0, 2], isRetained: true))
        #expect(messages[2] == nil)
    }

    @Test(.enabled(if: MosquittoServer.isThere, hasMosquitto))
    func hearsThatATopicIsForbidden() throws {
        let server = try MosquittoServer(access: "topic readwrite open/#\n")
        let settings = server.settings("roost-1")
        let codes = try onLoop { network in
            let broker = try await network.connect(settings)
            let bad = try await broker.publish(Self.message("closed/x", "1"))
            return [bad, try await broker.publish(Self.message("open/x", "1"))]
        }
        #expect(codes == [0x87, 0x10])
    }

    @Test(.enabled(if: MosquittoServer.isThere, hasMosquitto))
    func keepsTheWillForOneThatVanishes() throws {
        let server = try MosquittoServer()
        var dying = server.settings("roost-1")
        dying.will = BrokerSettings.Will(
            topic: "status",
            payload: Array("offline".utf8),
            delaySeconds: 0
        )
        let (leaving, watching) = (server.settings("roost-1"), server.settings("watch"))
        let messages = try onLoop { [dying] network in
            let watcher = try await network.connect(watching)
            try await watcher.subscribe("status")
            let first = try await network.connect(dying)
            // The same id: the broker throws the first one out, as when its power is cut.
            let second = try await network.connect(leaving)
            let ended = try await first.nextMessage()
            let will = try await watcher.nextMessage()
            await second.close()
            return [ended, will]
        }
        #expect(messages[0] == nil)
        #expect(messages[1]?.payload == Array("offline".utf8))
    }

    @Test(.enabled(if: MosquittoServer.isThere, hasMosquitto))
    func saysWhenTheBrokerDies() throws {
        let server = try MosquittoServer()
        let settings = server.settings("roost-1")
        nonisolated(unsafe) let broken = server
        let (message, failure) = try onLoop { network in
            let broker = try await network.connect(settings)
            broken.kill()
            let message = try await broker.nextMessage()
            do {
                _ = try await broker.publish(Self.message("a", "1"))
                return (message, nil as NetworkFailure?)
            } catch let failure as NetworkFailure {
                return (message, failure)
            }
        }
        #expect(message == nil)
        #expect(failure?.stage == .closed)
        let again = try CourierIOTests.failure { try await $0.connect(settings) }
        #expect(again?.stage == .refused && again?.isNear == true)
    }

    /// Any client of the broker can retain a large one on a topic that is subscribed to.
    @Test(.enabled(if: MosquittoServer.isThere, hasMosquitto))
    func aHugeRetainedMessageIsNotSentToTheStation() throws {
        let server = try MosquittoServer()
        let (stranger, station) = (server.settings("stranger"), server.settings("roost-1"))
        let next = try onLoop { network in
            let huge = [UInt8](repeating: 0x41, count: 8 << 20)
            let other = try await network.connect(stranger)
            let left = BrokerMessage(topic: "status", payload: huge, isRetained: true)
            _ = try await other.publish(left)
            let broker = try await network.connect(station)
            try await broker.subscribe("status")
            _ = try await other.publish(Self.message("status", "online"))
            return try await broker.nextMessage()
        }
        #expect(next?.payload == Array("online".utf8))
    }

    // MARK: A broker by a script

    private static func settings(_ server: LocalServer) -> BrokerSettings {
        BrokerSettings(host: "127.0.0.1", port: server.port, isEncrypted: false, clientID: "roost")
    }

    @Test func saysThatItWasClosedInsteadOfAnswered() throws {
        let server = try LocalServer { try $0.read(until: "roost") }
        defer { server.stop() }
        let found = try failure { try await $0.connect(Self.settings(server)) }
        #expect(found?.stage == .closed)
    }

    @Test func endsWithinAnAnswer() throws {
        let server = try LocalServer { connection in
            try connection.read(until: "roost")
            try connection.write(" \u{3}\0")
        }
        defer { server.stop() }
        let found = try failure { try await $0.connect(Self.settings(server)) }
        #expect(found?.stage == .closed)
    }

    @Test func saysThatThePasswordIsWrong() throws {
        let server = try LocalServer { connection in
            try connection.read(until: "roost")
            try connection.write(" \u{2}\0\u{4}")
            connection.waitForEnd()
        }
        defer { server.stop() }
        var settings = Self.settings(server)
        settings.protocolVersion = 4
        let found = try failure { [settings] in try await $0.connect(settings) }
        #expect(found?.stage == .notAuthorised)
        #expect(found?.words.contains("password") == true)
    }

    @Test func fallsBackAndRemembersIt() throws {
        let server = try LocalServer { connection in
            let head = try connection.read(until: "MQTT")
            #expect(head.utf8.count == 8)
            let version = try connection.read(until: "roost").utf8.first
            try connection.write(version == 4 ? " \u{2}\0\0" : " \u{2}\0\u{1}")
            connection.waitForEnd()
        }
        defer { server.stop() }
        let versions = try onLoop { network in
            let first = try await network.connect(Self.settings(server))
            await first.close()
            let second = try await network.connect(Self.settings(server))
            await second.close()
            return [first.protocolVersion, second.protocolVersion]
        }
        #expect(versions == [4, 4])
        #expect(server.connectionCount == 3)
    }

    /// A broker of MQTT 3.1.1 cannot be told what is too large.
    @Test func endsAConnectionWithAPacketBeyondItsBound() throws {
        let server = try LocalServer { connection in
            try connection.read(until: "roost")
            try connection.write(" \u{2}\0\0")
            // PUBLISH with a remaining length of 200 MiB (E1 80 80 64), of which less than one is
            // to be taken.
            try connection.write("0\u{1000}d\0\u{1}a")
            let piece = String(repeating: "A", count: 64 << 10)
            for _ in 0..<3_200 { try connection.write(piece) }
        }
        defer { server.stop() }
        var settings = Self.settings(server)
        settings.protocolVersion = 4
        let ending = try onLoop { [settings] network in
            let broker = try await network.connect(settings)
            let next = try await broker.nextMessage()
            return (next, broker.ending)
        }
        #expect(ending.0 == nil)
        #expect(ending.1?.words.contains("sends a message of more than 256 KiB") == true)
    }

    @Test func aServerOfAnotherKindIsNamedWithinTenSeconds() throws {
        let server = try LocalServer { connection in
            try connection.read(until: "roost")
            connection.waitForEnd()
        }
        defer { server.stop() }
        // This one leaves after 20 s.
        let found = try failure { try await $0.connect(Self.settings(server)) }
        #expect(found?.words.contains("is the port right?") == true)
    }

    @Test func saysThatAMessageMayHaveArrived() throws {
        let server = try LocalServer { connection in
            try connection.read(until: "roost")
            try connection.write(" \u{3}\0\0\0")
            try connection.read(until: "value")
        }
        defer { server.stop() }
        let found = try failure { network in
            let broker = try await network.connect(Self.settings(server))
            return try await broker.publish(Self.message("a", "value"))
        }
        #expect(found?.stage == .closed)
        #expect(found?.wasSent == true)
    }

    @Test func refusesThisComputerUnlessItIsAllowed() throws {
        let loop = try EventLoop()
        let network = try CurlNetwork(on: loop)
        let stage = try loop.run {
            do {
                let settings = BrokerSettings(
                    host: "127.0.0.1",
                    port: 1_883,
                    isEncrypted: false,
                    clientID: "roost"
                )
                _ = try await network.connect(settings)
                return nil as NetworkFailure.Stage?
            } catch let failure as NetworkFailure {
                return failure.stage
            }
        }
        #expect(stage == .local)
    }

    // MARK: Encryption

    @Test func goesByTheKeyAndTheAuthority() throws {
        let certificate = try TestCertificate()
        let server = try LocalServer(certificate) { connection in
            try connection.read(until: "roost")
            try connection.write(" \u{3}\0\0\0")
            connection.waitForEnd()
        }
        defer { server.stop() }
        let key = try CurveKey(pem: Secret(certificate.key))
        let head = try #require(
            Hexadecimal.bytes("3059301306072a8648ce3d020106082a8648ce3d030107034200")
        )
        var settings = Self.settings(server)
        settings.isEncrypted = true
        settings.trust = .publicKey(sha256: Base64.text(CourierCrypto.sha256(head + key.point)))
        let right = try failure { [settings] network in
            let broker = try await network.connect(settings)
            await broker.close()
        }
        #expect(right == nil)
        settings.trust = .publicKey(sha256: Base64.text(CourierCrypto.sha256("other")))
        let wrong = try failure { [settings] in try await $0.connect(settings) }
        #expect(wrong?.stage == .certificate)
        settings.trust = .system
        let unknown = try failure { [settings] in try await $0.connect(settings) }
        #expect(unknown?.stage == .certificate)
        #expect(unknown?.words.contains("not trusted") == true)
    }
}
