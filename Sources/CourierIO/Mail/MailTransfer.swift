import CCurl
import Core
import LinuxIO
import RoostCourier
import Synchronization

/// Sends one message to a mail server, on a thread of its own.
///
/// libcurl 7.88 blocks while it waits for the answer to the final dot and to QUIT, which would stop
/// the loop; so mail does not use the multi handle.
final class MailTransfer {
    /// Time for the server's answer to the final dot.
    static let patience: Duration = .seconds(60)
    /// Seconds for sending the whole message.
    static let wholeSeconds = 180

    private let message: MailMessage
    private let place: ServerAddress
    private let route: OutboundRoute
    private let handle: CurlHandle
    private let clock: any NodeClock
    private let isLeft: Flag
    private let begunAt: MonotonicInstant
    private var deadlines: TransferDeadlines
    private var conversation = MailConversation()
    private var givenCount = 0
    private var sentAt: MonotonicInstant?
    private var receivedAt: MonotonicInstant?
    private var failure: NetworkFailure?

    /// Whether the waiting task was cancelled.
    final class Flag: Sendable {
        private let value = Atomic(false)
        var isRaised: Bool { value.load(ordering: .relaxed) }
        func raise() { value.store(true, ordering: .relaxed) }
    }

    /// Runs `body` on the thread.
    ///
    /// A cancelled caller returns at once, and the transfer ends within a second.
    static func perform(
        on thread: DiskThread,
        _ body: @escaping @Sendable (Flag) throws(NetworkFailure) -> OutboundAnswer
    ) async throws -> OutboundAnswer {
        let isLeft = Flag()
        return try await withTaskCancellationHandler {
            do {
                return try await thread.run { try body(isLeft) }
            } catch let error as LinuxError {
                throw NetworkFailure(.local, "cannot send mail: \(error)")
            }
        } onCancel: {
            isLeft.raise()
        }
    }

    init(
        _ message: MailMessage,
        _ setup: ConnectionOptions,
        clock: any NodeClock,
        isLeft: Flag
    ) throws(NetworkFailure) {
        (self.message, self.clock, self.isLeft) = (message, clock, isLeft)
        (route, place) = (setup.route, setup.route.place)
        handle = try CurlHandle()
        begunAt = clock.now
        deadlines = TransferDeadlines(
            place: place.text,
            addressCount: route.addresses.count,
            wholeSeconds: Self.wholeSeconds
        )
        deadlines.firstByte = Self.patience
        try setup.apply(to: handle)
        try apply()
        setCallbacks()
    }

    /// Blocks until the conversation has ended.
    func run() throws(NetworkFailure) -> OutboundAnswer {
        let code = curl_easy_perform(handle.easy)
        var reading = TransferFailure(place: place)
        reading.verifyResult = handle.long(CURLINFO_SSL_VERIFYRESULT)
        reading.systemError = handle.long(CURLINFO_OS_ERRNO)
        reading.wasSent = sentAt != nil
        reading.isNear = route.isNear
        reading.today = MachineDate.today
        let broken = failure ?? (code == CURLE_OK ? nil : reading.failure(code))
        if message.isProbe, code == CURLE_OK, broken == nil {
            return OutboundAnswer(250, text: conversation.last?.text ?? "")
        }
        return try conversation.outcome(of: place, otherwise: broken)
    }

    private func apply() throws(NetworkFailure) {
        // Without a name of its own a station greets by address (RFC 5321, section 4.1.3).
        let greeting = place.path == "/" ? "/%5B127.0.0.1%5D" : ""
        let url = message.url.revealed
        let base = url.hasSuffix("/") && !greeting.isEmpty ? String(url.dropLast()) : url
        try handle.set(CURLOPT_URL, base + greeting)
        // A password is never sent unencrypted.
        let mayBePlain = message.allowsPlain && message.password == nil
        try handle.set(CURLOPT_USE_SSL, ccurl_encryption(mayBePlain ? 0 : 1))
        try handle.set(CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN")
        if let user = message.user {
            try handle.set(CURLOPT_USERNAME, user)
            try handle.set(CURLOPT_PASSWORD, message.password?.reveal() ?? "")
        }
        guard !message.isProbe else {
            try handle.set(CURLOPT_CONNECT_ONLY, 1)
            try handle.set(CURLOPT_VERBOSE, 1)
            return try handle.set(CURLOPT_NOPROGRESS, 0)
        }
        try handle.set(CURLOPT_MAIL_FROM, message.from)
        try handle.set(CURLOPT_MAIL_RCPT, message.recipients)
        // One refused recipient does not prevent delivery to the others.
        try handle.set(ccurl_allow_refused_recipients(), 1)
        try handle.set(CURLOPT_UPLOAD, 1)
        try handle.setSize(CURLOPT_INFILESIZE_LARGE, message.bytes.count)
        try handle.set(CURLOPT_FORBID_REUSE, 1)
        // The callback below gets commands and answers; nothing is printed.
        try handle.set(CURLOPT_VERBOSE, 1)
        try handle.set(CURLOPT_NOPROGRESS, 0)
    }

    // MARK: Callbacks

    private static func of(_ context: UnsafeMutableRawPointer?) -> MailTransfer? {
        context.map { Unmanaged<MailTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func setCallbacks() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_on_read(
            handle.easy,
            { bytes, size, count, context in
                MailTransfer.of(context)?.give(bytes, size * count) ?? Int(CURL_READFUNC_ABORT)
            },
            context
        )
        ccurl_on_debug(
            handle.easy,
            { _, kind, bytes, count, context in
                MailTransfer.of(context)?.record(kind, bytes, count)
                return 0
            },
            context
        )
        ccurl_on_progress(
            handle.easy,
            { context, _, _, _, _ in MailTransfer.of(context)?.checkAddress() ?? 1 },
            context
        )
        ccurl_on_connected(
            handle.easy,
            { context, address, _, _, _ in
                MailTransfer.of(context)?.checkAddress(address) ?? CURL_PREREQFUNC_ABORT
            },
            context
        )
    }

    private func give(_ bytes: UnsafeMutablePointer<CChar>?, _ room: Int) -> Int {
        guard let bytes else { return Int(CURL_READFUNC_ABORT) }
        let count = min(room, message.bytes.count - givenCount)
        message.bytes[givenCount..<(givenCount + count)].withUnsafeBytes { from in
            UnsafeMutableRawBufferPointer(start: bytes, count: room).copyMemory(from: from)
        }
        givenCount += count
        if givenCount == message.bytes.count, sentAt == nil {
            sentAt = clock.now
            receivedAt = nil
        }
        return count
    }

    private func record(_ kind: curl_infotype, _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int)
    {
        guard kind == CURLINFO_HEADER_IN || kind == CURLINFO_HEADER_OUT else { return }
        let text = String(
            decoding: UnsafeRawBufferPointer(start: bytes, count: count),
            as: UTF8.self
        )
        if kind == CURLINFO_HEADER_OUT { return conversation.sent(text) }
        receivedAt = clock.now
        for line in text.split(whereSeparator: \.isNewline) {
            conversation.received(String(line))
        }
        // The server has the message: do not wait for its farewell.
        if conversation.last?.step == .end {
            _ = ccurl_long(handle.easy, CURLOPT_SERVER_RESPONSE_TIMEOUT, 1)
        }
    }

    /// Called at least once a second; any result but 0 ends the transfer.
    private func checkAddress() -> Int32 {
        guard !isLeft.isRaised else { return 1 }
        guard conversation.byteCount <= Transfer.headLimit * 4 else {
            failure = NetworkFailure(.malformed, "\(place.text) talks without end")
            return 1
        }
        func instant(_ info: CURLINFO) -> MonotonicInstant? {
            let microseconds = handle.size(info)
            return microseconds == 0 ? nil : begunAt.advanced(by: .microseconds(microseconds))
        }
        var progress = TransferDeadlines.Progress(begunAt: begunAt)
        progress.connectedAt = instant(CURLINFO_CONNECT_TIME_T)
        progress.readyAt = progress.connectedAt
        // The server has half a minute for each answer, and a minute for the last.
        if let sentAt {
            progress.sentAt = sentAt
        } else {
            progress.receivedAt = receivedAt ?? progress.connectedAt
        }
        progress.sentCount = givenCount
        do {
            _ = try deadlines.next(progress, now: clock.now)
            return 0
        } catch {
            failure = error
            return 1
        }
    }

    private func checkAddress(_ address: UnsafePointer<CChar>?) -> Int32 {
        guard let refusal = route.refusal(address.map { String(cString: $0) } ?? "") else {
            return CURL_PREREQFUNC_OK
        }
        failure = refusal
        return CURL_PREREQFUNC_ABORT
    }
}
