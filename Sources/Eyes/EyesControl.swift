import ControlProtocol
import Core
import HardwareIO

/// The requests that clients of `roost-eyes` can make.
package protocol EyesService: Sendable {
    func report() async -> EyesReport

    /// Removes pictures; their bytes are written over.
    ///
    /// - Returns: How many there were.
    /// - Throws: `ControlFailure` `store`.
    func delete(_ pictures: PictureChoice) async throws -> Int
}

/// The pictures that are to be deleted.
package enum PictureChoice: Hashable, Sendable {
    case one(UInt64)
    /// All pictures up to this number, so that none is deleted that the person has not seen listed.
    case allUpTo(UInt64)
}

extension EyesRequest.Command {
    /// Local users who may send the command.
    ///
    /// The other services, which talk to servers and to devices, need no pictures.
    package var users: Set<LocalUser> {
        switch self {
        case .status, .delete: [.root, .person, .unknown, .dashboard]
        }
    }
}

/// Serves the socket of `roost-eyes`: one line of JSON in, one out.
///
/// Bound: `connectionLimit` connections at a time; one more is closed with an error.
package actor EyesControl {
    static let connectionLimit = 8
    /// A connection without a request for this long is closed.
    static let idleLimit: Duration = .seconds(60)

    private let service: any EyesService
    private let ring: String
    private let clock: any NodeClock
    private let users: LocalUsers
    private var count = 0

    /// - Parameters:
    ///   - users: Who may ask for what depends on them.
    package init(
        _ service: any EyesService,
        ring: String,
        clock: any NodeClock,
        users: LocalUsers = LocalUsers()
    ) {
        (self.service, self.ring, self.clock, self.users) = (service, ring, clock, users)
    }

    /// Serves until cancelled.
    package func run(_ listener: any LineListener) async throws {
        defer { listener.close() }
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let connection = try await listener.accept()
                guard count < Self.connectionLimit else {
                    let words = "\(Self.connectionLimit) connections are open; close one"
                    try? connection.send(
                        Self.refusal(ControlFailure(code: "too-many", message: words))
                    )
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
        } catch {
            // Cancelled, a line that is too long, or a peer that reads too slowly.
        }
    }

    private func nextLine(of connection: any LineConnection) async throws -> String? {
        let clock = clock
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

    /// Answers one line.
    package func answer(_ line: String, from peer: PeerCredentials? = nil) async throws -> String {
        do {
            let request = try ControlCodec.message(EyesRequest.self, from: line)
            guard request.version == controlProtocolVersion else {
                throw ControlFailure(
                    code: "wrong-version",
                    message: "this camera speaks version \(controlProtocolVersion), "
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
            switch request.command {
            case .status:
                return try ControlCodec.line(ControlAnswer(.success(await service.report())))
            case .delete:
                let count = try await service.delete(try choice(request))
                return try ControlCodec.line(ControlAnswer(.success(EyesDeletion(count: count))))
            }
        } catch let failure as ControlFailure { return try Self.refusal(failure) }
    }

    private func choice(_ request: EyesRequest) throws(ControlFailure) -> PictureChoice {
        if let other = request.ring, other != ring {
            throw ControlFailure(code: "other-ring", message: "this camera has the ring \(ring)")
        }
        switch (request.number, request.upTo) {
        case (let number?, nil): return .one(number)
        case (nil, let last?): return .allUpTo(last)
        default:
            throw ControlFailure(
                code: "bad-request",
                message: "delete takes the number of one picture, or upTo for all up to a number",
                pointer: "/number"
            )
        }
    }

    private static func refusal(_ failure: ControlFailure) throws -> String {
        try ControlCodec.line(ControlAnswer<EyesReport>(.failure(failure)))
    }
}
