import CCurl
import Core
import Glibc
import LinuxIO
import RoostCourier

/// libcurl's multi handle on the event loop, used only on the loop's thread.
///
/// libcurl says which descriptors it waits for and when it wants to be called; it is called only
/// then, so that a courier without transfers sleeps.
final class CurlMulti: @unchecked Sendable {
    /// Connections at the same time, including those kept open for the next request.
    static let connectionLimit = 4

    private let loop: EventLoop
    private let multi: UnsafeMutableRawPointer
    private var timer: LoopTimer?
    /// Watches by descriptor; bound: `connectionLimit` and the few that libcurl has for itself.
    private var watches: [Int32: LevelWatch] = [:]
    /// Transfers by handle; bound: `connectionLimit`, as further ones wait in `waiting`.
    private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    private var runningCount = 0
    /// Tasks that wait for a connection; bound: one for each target.
    private var waiting: [Signal] = []

    private static let isReady: Bool = {
        // A connection lost during a write fails only that write, not the process.
        signal(SIGPIPE, SIG_IGN)
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()

    /// - Throws: `NetworkFailure` when memory is short; `LinuxError` without a timer.
    init(on loop: EventLoop) throws {
        guard Self.isReady, let multi = curl_multi_init() else {
            throw NetworkFailure(.local, "libcurl does not start")
        }
        (self.loop, self.multi) = (loop, multi)
        timer = try LoopTimer(on: loop) { [unowned self] in act(CURL_SOCKET_TIMEOUT, 0) }
        setUp()
    }

    deinit {
        // This calls the callbacks of connections that are still open.
        curl_multi_cleanup(multi)
        timer?.close()
        for watch in watches.values { watch.close() }
    }

    private func setUp() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_multi_long(multi, CURLMOPT_MAXCONNECTS, Self.connectionLimit)
        ccurl_multi_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, Self.connectionLimit)
        ccurl_on_socket(
            multi,
            { _, socket, what, context, _ in
                guard let context else { return -1 }
                let multi = Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue()
                return multi.watch(socket, what)
            },
            context
        )
        ccurl_on_timer(
            multi,
            { _, milliseconds, context in
                guard let context else { return -1 }
                let multi = Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue()
                return multi.setTimer(milliseconds)
            },
            context
        )
    }

    // MARK: Turns

    /// Waits until fewer than `connectionLimit` transfers run, and counts as one.
    ///
    /// - Throws: `CancellationError`.
    func enter() async throws {
        precondition(loop.isCurrent, "the courier's network is used on its loop")
        guard runningCount >= Self.connectionLimit else {
            runningCount += 1
            return
        }
        let turn = Signal()
        waiting.append(turn)
        do {
            _ = try await loop.clock.wait(for: turn, until: nil, tolerance: .zero)
        } catch {
            if let index = waiting.firstIndex(where: { $0 === turn }) {
                waiting.remove(at: index)
            } else {
                leave()  // The turn came with the cancellation.
            }
            throw error
        }
    }

    /// Passes the connection on to the next task.
    func leave() {
        if waiting.isEmpty { runningCount -= 1 } else { waiting.removeFirst().raise() }
    }

    // MARK: Transfers

    /// - Throws: `NetworkFailure` when libcurl refuses the handle.
    func add(_ transfer: Transfer) throws(NetworkFailure) {
        let code = curl_multi_add_handle(multi, transfer.handle.easy)
        guard code == CURLM_OK else { throw Self.failure(code) }
        transfers[transfer.handle.easy] = transfer
    }

    /// Ends a transfer at once, in any state.
    func remove(_ transfer: Transfer) {
        guard transfers.removeValue(forKey: transfer.handle.easy) != nil else { return }
        curl_multi_remove_handle(multi, transfer.handle.easy)
    }

    /// Resumes a transfer that paused for bytes of its body.
    func resume(_ transfer: Transfer) {
        let code = curl_easy_pause(transfer.handle.easy, CURLPAUSE_CONT)
        if code != CURLE_OK { transfer.finish(code) }
    }

    private func act(_ socket: Int32, _ flags: Int32) {
        var running: Int32 = 0
        let code = curl_multi_socket_action(multi, socket, flags, &running)
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle
            else { continue }
            transfers[easy]?.finish(ccurl_result(message))
        }
        guard code != CURLM_OK else { return }
        for transfer in transfers.values { transfer.fail(Self.failure(code)) }
    }

    private func watch(_ socket: Int32, _ what: Int32) -> Int32 {
        guard what != CURL_POLL_REMOVE else {
            watches.removeValue(forKey: socket)?.close()
            return 0
        }
        var events: LevelWatch.Events = []
        if what & CURL_POLL_IN != 0 { events.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { events.insert(.writable) }
        do {
            let watch = try watches[socket] ?? makeWatch(socket)
            watches[socket] = watch
            try watch.expect(events)
            return 0
        } catch {
            let words = "cannot watch a connection: \(error)"
            for transfer in transfers.values { transfer.fail(NetworkFailure(.local, words)) }
            return -1
        }
    }

    private func makeWatch(_ socket: Int32) throws(LinuxError) -> LevelWatch {
        try LevelWatch(socket, on: loop) { [unowned self] events in
            var flags: Int32 = 0
            if events.contains(.readable) { flags |= CURL_CSELECT_IN }
            if events.contains(.writable) { flags |= CURL_CSELECT_OUT }
            if events.contains(.failed) { flags |= CURL_CSELECT_ERR }
            act(socket, flags)
        }
    }

    private func setTimer(_ milliseconds: Int) -> Int32 {
        do {
            try timer?.set(after: milliseconds < 0 ? nil : .milliseconds(milliseconds))
            return 0
        } catch {
            for transfer in transfers.values {
                transfer.fail(NetworkFailure(.local, "cannot set a timer: \(error)"))
            }
            return -1
        }
    }

    private static func failure(_ code: CURLMcode) -> NetworkFailure {
        NetworkFailure(.local, "libcurl: \(String(cString: curl_multi_strerror(code)))")
    }
}
