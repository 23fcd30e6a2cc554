import CCurl
import CMosquitto
import COpenSSL
import Core
import Glibc
import LinuxIO
import RoostCourier

/// One connection to a broker by libmosquitto, used only on the loop's thread.
///
/// libmosquitto has no thread here: the loop calls it when its socket is ready, and four times in
/// each keep-alive interval.
final class MosquittoConnection: BrokerConnection, @unchecked Sendable {
    /// Received messages that wait for `nextMessage` at most.
    static let messageLimit = 64
    private static let answer: Duration = .seconds(30)

    /// Waits for one PUBACK or SUBACK.
    private final class Acknowledgement {
        let signal = Signal()
        var code: Int?
    }

    private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    private let setup: BrokerOptions
    private let loop: EventLoop
    private let trust: UnsafeMutableRawPointer?
    private let handle: OpaquePointer
    private var stage = BrokerStage.connecting
    private var failure: NetworkFailure?
    private var refusal: BrokerRefusal?
    private var farewell: Int?
    private let progress = Signal()
    private let hasMessage = Signal()
    /// Our own descriptor of libmosquitto's socket, which libmosquitto closes without notice.
    private var descriptor: Int32 = -1
    private var watch: LevelWatch?
    private var timer: LoopTimer?
    /// Acknowledgements by the packet's number; bound: one for each task that publishes.
    private var waiting: [Int32: Acknowledgement] = [:]
    private var messages: [BrokerMessage] = []
    private var packets = PacketSizes()
    /// Number of messages dropped because `messageLimit` waited.
    private(set) var droppedCount = 0

    init(_ setup: BrokerOptions, on loop: EventLoop) throws(NetworkFailure) {
        guard Self.isReady else { throw NetworkFailure(.local, "libmosquitto does not start") }
        (self.setup, self.loop) = (setup, loop)
        let trust = try setup.makeTrust()
        self.trust = trust
        do {
            handle = try setup.makeHandle(trust)
        } catch {
            copenssl_free_trust(trust)
            throw error
        }
        listen()
    }

    deinit {
        stopWatching()
        mosquitto_destroy(handle)
        copenssl_free_trust(trust)
    }

    var protocolVersion: Int { setup.broker.protocolVersion }

    var ending: NetworkFailure? { failure }

    private var name: String { setup.place.text }

    // MARK: Connecting

    /// Connects to an address and waits for the broker's CONNACK.
    ///
    /// - Throws: `NetworkFailure`, `BrokerRefusal`; `CancellationError`.
    func open(_ address: String) async throws {
        precondition(loop.isCurrent, "the courier's network is used on its loop")
        let plain = address.hasPrefix("[") ? String(address.dropFirst().dropLast()) : address
        let (port, keepAlive) = (Int32(setup.broker.port), Int32(setup.broker.keepAliveSeconds))
        let code = mosquitto_connect_async(handle, plain, port, keepAlive)
        // A broker close by may send its certificate before this call returns.
        if code == MOSQ_ERR_TLS.rawValue { stage = .encrypting }
        guard code == 0, mosquitto_socket(handle) >= 0 else {
            let error = code == MOSQ_ERR_ERRNO.rawValue ? errno : 0
            throw stage == .connecting ? connectFailure(error) : lostFailure(code)
        }
        do { try startWatching() } catch {
            throw NetworkFailure(.local, "cannot watch a connection: \(error)")
        }
        var (begun, seen) = (loop.clock.now, stage)
        while stage != .open {
            if let refusal { throw refusal }
            if let failure { throw failure }
            if stage != seen { (begun, seen) = (loop.clock.now, stage) }
            let (limit, late) = stage.lateness(of: name)
            let deadline = begun.advanced(by: limit)
            guard loop.clock.now < deadline else { throw late }
            _ = try await loop.clock.wait(
                for: progress,
                until: deadline,
                tolerance: .milliseconds(500)
            )
        }
    }

    private func startWatching() throws {
        descriptor = try check(dup(mosquitto_socket(handle)))
        PacketSizes.bound(descriptor)
        watch = try LevelWatch(descriptor, on: loop) { [unowned self] in act($0) }
        timer = try LoopTimer(on: loop) { [unowned self] in keepAlive() }
        try timer?.set(after: quarter)
        settle()
    }

    private func check(_ descriptor: Int32) throws(NetworkFailure) -> Int32 {
        guard descriptor < 0 else { return descriptor }
        throw NetworkFailure(.local, "cannot watch a connection: \(LinuxError.text(of: errno))")
    }

    private var quarter: Duration { .seconds(max(1, setup.broker.keepAliveSeconds / 4)) }

    private func connectFailure(_ code: Int32) -> NetworkFailure {
        var reading = TransferFailure(place: setup.place)
        reading.systemError = Int(code)
        return reading.failure(CURLE_COULDNT_CONNECT)
    }

    // MARK: The loop

    private func act(_ events: LevelWatch.Events) {
        guard failure == nil else { return }
        if stage == .connecting {
            let error = socketError
            guard error == 0 else { return fail(connectFailure(error)) }
            stage = setup.broker.isEncrypted ? .encrypting : .asking
        }
        var code: Int32 = 0
        if !events.isDisjoint(with: [.readable, .failed]) || stage == .encrypting {
            repeat {
                code = mosquitto_loop_read(handle, 1)
            } while code == 0 && mosquitto_ssl_get(handle).map { copenssl_pending($0) > 0 } == true
        }
        if code == 0, events.contains(.writable) { code = mosquitto_loop_write(handle, 1) }
        if let excess = packets.excess(at: descriptor, of: name) { fail(excess) }
        look(after: code)
    }

    /// Handles the result of a call of libmosquitto.
    private func look(after code: Int32) {
        if code != 0 || mosquitto_socket(handle) < 0 {
            fail(lostFailure(code))
        } else if stage == .encrypting, let session = mosquitto_ssl_get(handle) {
            if copenssl_is_agreed(session) != 0 {
                stage = .asking
            } else if hasHungUp {
                // libmosquitto goes on with a connection that should end here.
                fail(lostFailure(MOSQ_ERR_TLS.rawValue))
            }
        }
        settle()
        progress.raise()
    }

    private func settle() {
        guard failure == nil, let watch else { return }
        // During a handshake the CONNECT already waits, and the socket always takes bytes.
        let isWaiting =
            stage == .connecting
            || (stage != .encrypting && mosquitto_want_write(handle))
        do {
            try watch.expect(isWaiting ? [.readable, .writable] : .readable)
        } catch {
            fail(NetworkFailure(.local, "cannot watch a connection: \(error)"))
        }
    }

    private func keepAlive() {
        guard failure == nil else { return }
        look(after: mosquitto_loop_misc(handle))
        guard failure == nil else { return }
        do {
            try timer?.set(after: quarter)
        } catch {
            fail(NetworkFailure(.local, "cannot set a timer: \(error)"))
        }
    }

    private var socketError: Int32 {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        return error
    }

    private var hasHungUp: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }

    private func lostFailure(_ code: Int32) -> NetworkFailure {
        if let farewell, farewell >= 0x80 {
            return NetworkFailure(.closed, "\(name): \(BrokerReason.text(farewell))")
        }
        if let trust, stage == .encrypting {
            var reading = TransferFailure(place: setup.place)
            let result = copenssl_trust_result(trust)
            // X509_V_ERR_APPLICATION_VERIFICATION: the server has another key.
            if result == 50 { return reading.failure(CURLE_SSL_PINNEDPUBKEYNOTMATCH) }
            reading.verifyResult = result
            reading.today = MachineDate.today
            let isOfCertificate = result != 0
            return reading.failure(
                isOfCertificate ? CURLE_PEER_FAILED_VERIFICATION : CURLE_SSL_CONNECT_ERROR
            )
        }
        switch code {
        case MOSQ_ERR_PROTOCOL.rawValue, MOSQ_ERR_MALFORMED_PACKET.rawValue:
            let words = "\(name) answers something that is no MQTT; is the port right?"
            return NetworkFailure(.malformed, words)
        case MOSQ_ERR_KEEPALIVE.rawValue:
            return NetworkFailure(.silent, "\(name) fell silent")
        default:
            return NetworkFailure(.closed, "\(name) closed the connection")
        }
    }

    private func fail(_ reason: NetworkFailure) {
        guard failure == nil else { return }
        failure = reason
        stopWatching()
        for acknowledgement in waiting.values { acknowledgement.signal.raise() }
        hasMessage.raise()
        progress.raise()
    }

    private func stopWatching() {
        watch?.close()
        timer?.close()
        (watch, timer) = (nil, nil)
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    // MARK: Messages

    func publish(_ message: BrokerMessage) async throws -> Int {
        precondition(loop.isCurrent, "the courier's network is used on its loop")
        if let failure { throw failure }
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if let expiry = message.expirySeconds, protocolVersion == 5 {
            let identifier = Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue)
            let seconds = UInt32(clamping: expiry)
            let code = mosquitto_property_add_int32(&properties, identifier, seconds)
            guard code == 0 else { throw NetworkFailure(.local, "no memory") }
        }
        var number: Int32 = 0
        let code = mosquitto_publish_v5(
            handle,
            &number,
            message.topic,
            Int32(message.payload.count),
            message.payload,
            1,
            message.isRetained,
            properties
        )
        switch code {
        case MOSQ_ERR_OVERSIZE_PACKET.rawValue, MOSQ_ERR_PAYLOAD_SIZE.rawValue: return 0x95
        case MOSQ_ERR_RETAIN_NOT_SUPPORTED.rawValue: return 0x9A
        case MOSQ_ERR_QOS_NOT_SUPPORTED.rawValue: return 0x9B
        case 0: return try await acknowledgement(of: number)
        default: throw refused(code)
        }
    }

    func subscribe(_ topic: String) async throws {
        precondition(loop.isCurrent, "the courier's network is used on its loop")
        if let failure { throw failure }
        var number: Int32 = 0
        let code = mosquitto_subscribe_v5(handle, &number, topic, 1, 0, nil)
        guard code == 0 else { throw refused(code) }
        let answer = try await acknowledgement(of: number)
        guard answer < 0x80 else {
            throw NetworkFailure(.notAuthorised, "\(name): \(BrokerReason.text(answer))")
        }
    }

    private func refused(_ code: Int32) -> NetworkFailure {
        let words = String(cString: mosquitto_strerror(code))
        let lost = [MOSQ_ERR_NO_CONN.rawValue, MOSQ_ERR_CONN_LOST.rawValue].contains(code)
        return NetworkFailure(lost ? .closed : .local, "\(name): \(words)")
    }

    private func acknowledgement(of number: Int32) async throws -> Int {
        let wait = Acknowledgement()
        waiting[number] = wait
        defer { waiting[number] = nil }
        settle()
        let deadline = loop.clock.now.advanced(by: Self.answer)
        _ = try await loop.clock.wait(
            for: wait.signal,
            until: deadline,
            tolerance: .milliseconds(500)
        )
        if let code = wait.code { return code }
        let silence = NetworkFailure(.silent, "\(name) acknowledged nothing within 30 s")
        let reason = failure ?? silence
        fail(reason)
        throw NetworkFailure(reason.stage, reason.words, wasSent: true)
    }

    func nextMessage() async throws -> BrokerMessage? {
        while true {
            guard messages.isEmpty else { return messages.removeFirst() }
            guard failure == nil else { return nil }
            _ = try await loop.clock.wait(for: hasMessage, until: nil, tolerance: .zero)
        }
    }

    func close() async { end() }

    /// Sends DISCONNECT when there is a connection, and closes it.
    func end() {
        guard failure == nil else { return }
        mosquitto_disconnect_v5(handle, 0, nil)
        fail(NetworkFailure(.closed, "the connection to \(name) was closed here"))
    }

    // MARK: Calls of libmosquitto

    private func listen() {
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        mosquitto_connect_v5_callback_set(handle) { _, context, code, _, _ in
            MosquittoConnection.of(context)?.connected(Int(code))
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, context, code, _ in
            MosquittoConnection.of(context)?.farewell = Int(code)
        }
        mosquitto_publish_v5_callback_set(handle) { _, context, number, code, _ in
            MosquittoConnection.of(context)?.acknowledged(number, Int(code))
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, context, number, count, codes, _ in
            let code = count > 0 ? codes.map { Int($0[0]) } ?? 0x80 : 0x80
            MosquittoConnection.of(context)?.acknowledged(number, code)
        }
        mosquitto_message_v5_callback_set(handle) { _, context, message, _ in
            guard let message = message?.pointee, let topic = message.topic else { return }
            let bytes = UnsafeRawBufferPointer(
                start: message.payload,
                count: Int(message.payloadlen)
            )
            MosquittoConnection.of(context)?.received(
                BrokerMessage(
                    topic: String(cString: topic),
                    payload: Array(bytes),
                    isRetained: message.retain
                )
            )
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> MosquittoConnection? {
        context.map { Unmanaged<MosquittoConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    private func connected(_ code: Int) {
        packets.end(at: descriptor)
        if code == 0 {
            stage = .open
        } else {
            refusal = BrokerRefusal(code: code, protocolVersion: protocolVersion)
        }
    }

    private func acknowledged(_ number: Int32, _ code: Int) {
        packets.end(at: descriptor)
        waiting[number]?.code = code
        waiting[number]?.signal.raise()
    }

    private func received(_ message: BrokerMessage) {
        packets.end(at: descriptor)
        guard messages.count < Self.messageLimit else {
            droppedCount += 1
            return
        }
        messages.append(message)
        hasMessage.raise()
    }
}
