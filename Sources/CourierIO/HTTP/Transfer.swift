import CCurl
import Core
import RoostCourier

/// One transfer of libcurl: the source of its body, its answer and its state.
///
/// It belongs to the loop's thread; libcurl has its address from `begin` until it is removed.
final class Transfer {
    /// Bytes of the answer's head at most.
    static let headLimit = 8 << 10

    /// Source of the body's bytes.
    enum Source {
        case bytes([UInt8])
        /// A body made while it is sent, with its number of bytes.
        case stream(size: Int)

        var size: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .stream(let size): size
            }
        }
    }

    let handle: CurlHandle
    let route: OutboundRoute
    /// Raised when libcurl has finished, or waits for bytes.
    let signal = Signal()
    private let source: Source
    private let clock: any NodeClock
    /// Bytes of an answer's body at most.
    var answerLimit = OutboundAnswer.bodyLimit
    /// Bytes of a stream that libcurl has not read; bound: one piece.
    private var piece: ArraySlice<UInt8> = []

    private(set) var givenCount = 0
    private(set) var sentAt: MonotonicInstant?
    /// Time when a connection, new or kept, was ready for the request.
    ///
    /// libcurl's own times are zero for a kept connection.
    private(set) var readyAt: MonotonicInstant?
    private(set) var wantsPiece = false
    private(set) var head = HeadReader()
    private(set) var body: [UInt8] = []
    private(set) var receivedAt: MonotonicInstant?
    private(set) var result: CURLcode?
    /// Failure for which we ended it; libcurl would only report that a callback did.
    private(set) var failure: NetworkFailure?

    init(
        _ handle: CurlHandle,
        to route: OutboundRoute,
        sending source: Source,
        clock: any NodeClock
    ) {
        (self.handle, self.route) = (handle, route)
        (self.source, self.clock) = (source, clock)
        setCallbacks()
    }

    var place: ServerAddress { route.place }

    var size: Int { source.size }

    /// Whether the whole body was given to the kernel, so that the server may have it.
    var isSent: Bool {
        sentAt != nil || (size == 0 && readyAt != nil)
    }

    func progress(begunAt: MonotonicInstant) -> TransferDeadlines.Progress {
        func instant(_ info: CURLINFO) -> MonotonicInstant? {
            let microseconds = handle.size(info)
            return microseconds == 0 ? nil : begunAt.advanced(by: .microseconds(microseconds))
        }
        var progress = TransferDeadlines.Progress(begunAt: begunAt)
        progress.connectedAt = instant(CURLINFO_CONNECT_TIME_T) ?? readyAt
        // The request may be sent once encryption, and a proxy if any, are ready.
        progress.readyAt = readyAt
        progress.sentAt = size == 0 ? readyAt : sentAt
        progress.receivedAt = receivedAt
        progress.sentCount = givenCount
        return progress
    }

    func finish(_ code: CURLcode) {
        result = result ?? code
        signal.raise()
    }

    func fail(_ failure: NetworkFailure) {
        self.failure = self.failure ?? failure
        finish(CURLE_ABORTED_BY_CALLBACK)
    }

    /// Sets the next bytes of a stream; nil says that it has ended.
    func supply(_ bytes: [UInt8]?) {
        wantsPiece = false
        if let bytes, givenCount + bytes.count <= size {
            piece = bytes[...]
        } else if bytes != nil || givenCount < size {
            let words = "the file changed while it was sent"
            fail(NetworkFailure(.local, words))
        }
    }

    // MARK: Callbacks

    private func setCallbacks() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_on_body(
            handle.easy,
            { bytes, size, count, context in
                Transfer.of(context)?.takeBody(bytes, size * count) ?? 0
            },
            context
        )
        ccurl_on_head(
            handle.easy,
            { bytes, size, count, context in
                Transfer.of(context)?.takeHead(bytes, size * count) ?? 0
            },
            context
        )
        ccurl_on_read(
            handle.easy,
            { bytes, size, count, context in
                Transfer.of(context)?.give(bytes, size * count) ?? Int(CURL_READFUNC_ABORT)
            },
            context
        )
        ccurl_on_seek(
            handle.easy,
            { context, offset, origin in
                Transfer.of(context)?.seek(Int(offset), origin) ?? CURL_SEEKFUNC_FAIL
            },
            context
        )
        ccurl_on_connected(
            handle.easy,
            { context, address, _, _, _ in
                Transfer.of(context)?.checkAddress(address) ?? CURL_PREREQFUNC_ABORT
            },
            context
        )
    }

    static func of(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func takeBody(_ bytes: UnsafePointer<CChar>?, _ count: Int) -> Int {
        receivedAt = clock.now
        guard body.count + count <= answerLimit else {
            let words = "\(place.text) answers more than \(answerLimit) bytes"
            failure = NetworkFailure(.malformed, words, wasSent: isSent)
            return 0
        }
        body += UnsafeRawBufferPointer(start: bytes, count: count)
        return count
    }

    private func takeHead(_ bytes: UnsafePointer<CChar>?, _ count: Int) -> Int {
        receivedAt = clock.now
        let line = String(
            decoding: UnsafeRawBufferPointer(start: bytes, count: count),
            as: UTF8.self
        )
        head.receive(line)
        guard head.byteCount <= Self.headLimit else {
            let words = "\(place.text) answers with a head of more than \(Self.headLimit) bytes"
            failure = NetworkFailure(.malformed, words, wasSent: isSent)
            return 0
        }
        return count
    }

    private func give(_ bytes: UnsafeMutablePointer<CChar>?, _ room: Int) -> Int {
        guard let bytes else { return Int(CURL_READFUNC_ABORT) }
        let rest: ArraySlice<UInt8>
        switch source {
        case .bytes(let all): rest = all[givenCount...]
        case .stream: rest = piece
        }
        if rest.isEmpty, givenCount < size {
            guard failure == nil else { return Int(CURL_READFUNC_ABORT) }
            wantsPiece = true
            signal.raise()
            return Int(CURL_READFUNC_PAUSE)
        }
        let count = min(room, rest.count)
        rest.withUnsafeBytes { from in
            UnsafeMutableRawBufferPointer(start: bytes, count: room)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: from[0..<count]))
        }
        piece = piece.dropFirst(count)
        givenCount += count
        if givenCount == size { sentAt = clock.now }
        return count
    }

    /// Rewinds a body that is sent again on a new connection, after the kept one was closed.
    private func seek(_ offset: Int, _ origin: Int32) -> Int32 {
        guard case .bytes(let bytes) = source, origin == 0, (0...bytes.count).contains(offset)
        else { return CURL_SEEKFUNC_FAIL }
        givenCount = offset
        sentAt = nil
        return CURL_SEEKFUNC_OK
    }

    /// Checks the address before the first byte: a kept connection may have had other rights.
    private func checkAddress(_ address: UnsafePointer<CChar>?) -> Int32 {
        let text = address.map { String(cString: $0) } ?? ""
        guard let refusal = route.refusal(text) else {
            readyAt = clock.now
            return CURL_PREREQFUNC_OK
        }
        failure = refusal
        return CURL_PREREQFUNC_ABORT
    }
}
