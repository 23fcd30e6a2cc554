import ControlProtocol
import Core
import HardwareIO
import Runtime
import StoreQueries

extension CourierRequest.Command {
    /// Local users that may send this request.
    ///
    /// The station and the camera, which read devices, may send none.
    package var users: Set<LocalUser> {
        switch self {
        case .status, .flush, .pause, .resume, .drop, .why, .retry, .prove, .subscribe,
            .unsubscribe, .notify, .vapid, .stations:
            [.root, .person, .unknown, .dashboard]
        // The list says whose phones are notified, so the dashboard may not read it.
        case .subscribers: [.root, .person, .unknown]
        }
    }
}

/// Serves the courier's socket: one line of JSON in, one out.
///
/// Bound: `connectionLimit` connections at a time; one more is closed with an error.
package actor CourierControl: Child {
    static let connectionLimit = 16
    /// Time without a request after which a connection is closed.
    static let idleLimit: Duration = .minutes(2)
    private static let flushMax = 600.0

    package typealias Listen = @Sendable () async throws -> any LineListener

    private let node: CourierNode
    private let listen: Listen
    private let users: LocalUsers
    private var count = 0

    package init(
        _ node: CourierNode,
        users: LocalUsers = LocalUsers(),
        listen: @escaping Listen
    ) {
        (self.node, self.users, self.listen) = (node, users, listen)
    }

    package func run() async throws {
        let listener = try await listen()
        defer { listener.close() }
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let connection = try await listener.accept()
                guard count < Self.connectionLimit else {
                    let words = "\(Self.connectionLimit) connections are open; close one"
                    let failure = ControlFailure(code: "too-many", message: words)
                    try? connection.send(ControlCodec.line(Self.failed(failure)))
                    connection.close()
                    continue
                }
                count += 1
                group.addTask { await self.serve(connection) }
            }
        }
    }

    private func serve(_ connection: any LineConnection) async {
        defer {
            connection.close()
            count -= 1
        }
        do {
            while let line = try await nextLine(of: connection) {
                try connection.send(try await answer(line, from: connection.peer))
            }
        } catch let error as LocalSocketError {
            guard case .lineTooLong = error else { return }
            let failure = ControlFailure(code: "bad-request", message: "\(error)")
            try? connection.send(ControlCodec.line(Self.failed(failure)))
        } catch {
            // The task was cancelled, or the peer reads too slowly: its connection ends.
        }
    }

    private func nextLine(of connection: any LineConnection) async throws -> String? {
        let clock = node.world.clock
        return try await withThrowingTaskGroup(of: String?.self) { group in
            group.addTask { try await connection.nextLine() }
            group.addTask {
                try await clock.sleep(for: Self.idleLimit, tolerance: Self.idleLimit / 2)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Returns the answer to one line.
    ///
    /// - Throws: `CancellationError`.
    package func answer(_ line: String, from peer: PeerCredentials? = nil) async throws -> String {
        do {
            let request = try ControlCodec.message(CourierRequest.self, from: line)
            guard request.version == controlProtocolVersion else {
                throw ControlFailure(
                    code: "wrong-version",
                    message: "this courier speaks version \(controlProtocolVersion), "
                        + "not \(request.version)"
                )
            }
            let user = users.user(peer)
            guard request.command.users.contains(user) else {
                throw ControlFailure(
                    code: "not-allowed",
                    message: user.refusal(of: request.command.rawValue, by: peer)
                )
            }
            return try await answer(request)
        } catch let failure as ControlFailure {
            return try ControlCodec.line(Self.failed(failure))
        }
    }

    private func answer(_ request: CourierRequest) async throws -> String {
        switch request.command {
        case .status: break
        case .flush:
            let seconds = request.seconds ?? 60
            guard (0...Self.flushMax).contains(seconds) else {
                throw CourierRefusal.wrong("seconds is 0 to 600", at: "/seconds")
            }
            if request.target != nil { _ = try outlet(request) }
            try await node.flush(request.target, for: .seconds(seconds))
        case .pause:
            let seconds = request.seconds
            guard seconds.map((1...366 * 86_400.0).contains) ?? true else {
                throw CourierRefusal.wrong("seconds is 1 to 366 days, or left out", at: "/seconds")
            }
            let outlet = try outlet(request)
            try await keep { try await outlet.pause(for: seconds.map { .seconds($0) }) }
        case .resume:
            let outlet = try outlet(request)
            try await keep { try await outlet.resume() }
        case .subscribe, .unsubscribe, .notify, .vapid, .subscribers:
            guard let subscriptions = node.pushSubscriptions else {
                throw ControlFailure(
                    code: "no-receiver",
                    message: "this courier has no folder for subscribers"
                )
            }
            return try await subscriptions.answer(request)
        case .stations:
            let report = try await node.stations()
            return try ControlCodec.line(ControlAnswer<StationsReport>(.success(report)))
        case .drop, .why, .retry, .prove:
            do { return try await CourierQuestions(node: node).answer(request) } catch {
                throw Self.failure(error)
            }
        }
        return try ControlCodec.line(ControlAnswer<CourierReport>(.success(await node.report)))
    }

    /// Carries out an order that has to outlive the process.
    private func keep(_ order: () async throws -> Void) async throws {
        do {
            try await order()
        } catch let error as CourierFilesError {
            throw ControlFailure(
                code: "not-kept",
                message: "done, but a restart forgets it: \(error)"
            )
        }
    }

    /// Converts a failure into one that the client may read.
    private static func failure(_ error: any Error) -> any Error {
        switch error {
        case let down as StationDown: ControlFailure(code: "store", message: down.description)
        case let unreadable as StoreUnreadable:
            ControlFailure(code: "store", message: unreadable.message)
        case let failure as NetworkFailure:
            ControlFailure(code: "network", message: failure.words)
        default: error
        }
    }

    private func outlet(_ request: CourierRequest) throws(ControlFailure) -> Connector {
        try node.outlet(of: request)
    }

    private static func failed(_ failure: ControlFailure) -> ControlAnswer<CourierReport> {
        ControlAnswer(.failure(failure))
    }
}
