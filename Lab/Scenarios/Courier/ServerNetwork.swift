import Core
import CourierSimulation
import RoostCourier

/// The way from a machine to the receiver, with what the world does to it at that moment.
///
/// Unchecked: one simulation is one thread.
struct ServerNetwork: CourierNetwork, @unchecked Sendable {
    static let host = "server.lan"
    /// The last is longer than the courier waits.
    private static let slowness: [Duration] = [.seconds(9), .seconds(12), .seconds(40)]
    private static let losses: [NetworkFault] = [.answerLost, .closesKept, .trickle]

    private let machine: Machine
    private let internet: SimulatedInternet

    init(of machine: Machine) {
        self.machine = machine
        internet = SimulatedInternet(clock: machine.clock)
        internet.add(Server(machine: machine), at: Self.host)
    }

    func exchange(_ request: OutboundRequest) async throws -> OutboundAnswer {
        guard !machine.isDead else { throw CancellationError() }
        internet.set(fault, at: Self.host)
        let answer = try await internet.exchange(request)
        // A process that was killed meanwhile hears of nothing.
        guard !machine.isDead else { throw CancellationError() }
        return answer
    }

    func upload(
        _ request: OutboundRequest,
        size: Int,
        _ read: @escaping @Sendable () async throws -> [UInt8]?
    ) async throws -> OutboundAnswer {
        try await internet.upload(request, size: size, read)
    }

    func send(_ message: MailMessage) async throws -> OutboundAnswer {
        try await internet.send(message)
    }

    func connect(_ broker: BrokerSettings) async throws -> any BrokerConnection {
        try await internet.connect(broker)
    }

    /// The fault of the server now; nil without any.
    private var fault: NetworkFault? {
        let (world, now) = (machine.world, machine.now)
        let kinds: [FaultKind] = [
            .internetDown, .nameServerSilent, .serverSilent, .serverRefuses, .captivePortal,
            .serverFails, .answersLost, .serverSlow,
        ]
        guard let kind = kinds.first(where: { world.isOpen($0, at: now) }) else { return nil }
        world.fire(kind)
        var chance = world.dice(at: now)
        switch kind {
        case .internetDown: return .unreachable
        case .nameServerSilent: return .nameServerSilent
        case .serverSilent: return .silent
        case .serverRefuses: return .refused
        case .captivePortal: return .captivePortal
        case .answersLost: return Self.losses[chance.index(Self.losses.count)]
        case .serverSlow: return .slow(Self.slowness[chance.index(Self.slowness.count)])
        default:
            let statuses = [500, 502, 503, 429, 404, 401]
            let status = statuses[chance.index(statuses.count)]
            let isAsked = status == 503 || status == 429
            return .status(status, retryAfterSeconds: isAsked ? 30 + chance.index(300) : nil)
        }
    }

    private struct Server: SimulatedServer, @unchecked Sendable {
        let machine: Machine

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            let isRejecting = machine.world.isOpen(.serverRejects, at: machine.now)
            if isRejecting { machine.world.fire(.serverRejects) }
            let isLost = machine.world.planted == .lostDelivery
            if isLost, machine.world.receiver.requestCount % 16 == 9 {
                machine.world.receiver.forget()
                return OutboundAnswer(200, text: "thanks")
            }
            let isFresh = machine.world.planted == .freshDates
            return machine.world.receiver.answer(
                request,
                rejecting: isRejecting,
                at: isFresh ? machine.world.trueTime(at: machine.now) : nil
            )
        }
    }
}
