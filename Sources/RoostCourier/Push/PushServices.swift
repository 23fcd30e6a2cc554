import Core

/// State of each push service: one that fails is not asked for a while.
///
/// A service that fails for one subscriber twice, or says that a person has to act, may fail only
/// for that one: another subscriber is tried, and where the service accepts that message, the first
/// has a back-off of its own.
struct PushServices: Sendable {
    private struct Service {
        var state: DeliveryState
        /// Doubt about the service, by the labels of subscribers.
        var doubt = ItemDoubt<String>(patience: 2)
    }

    /// Services that are remembered at most; working ones are forgotten first.
    private static let limit = 64
    private let seed: UInt64
    private var services: [String: Service] = [:]
    /// Subscribers for whom their service fails while it accepts others, by labels.
    private(set) var asides: ItemAsides<String>

    init(seed: UInt64) { (self.seed, asides) = (seed, ItemAsides(seed: seed)) }

    /// Returns the name of a subscriber's push service, which fails as a whole.
    private static func name(_ subscriber: Subscriber) -> String {
        switch subscriber.way {
        case .apns: "apns"
        case .webPush(let endpoint): endpoint.origin
        }
    }

    func isOpen(_ subscriber: Subscriber, at now: MonotonicInstant) -> Bool {
        let label = subscriber.label
        if asides.contains(label), asides.first(at: now, where: { $0 == label }) == nil {
            return false
        }
        guard let service = services[Self.name(subscriber)] else { return true }
        return service.state.notBefore <= now || service.doubt.mayHurry(label)
    }

    func hasTrouble(_ subscriber: Subscriber) -> Bool {
        services[Self.name(subscriber)]?.state.trouble != nil
    }

    /// Returns when the next service or subscriber may be tried again.
    func nextOpening(after now: MonotonicInstant) -> MonotonicInstant? {
        let next = asides.next { asides.first(at: now, where: [$0].contains) == nil }
        let openings = services.values.map(\.state.notBefore).filter { $0 > now }
        return (openings + [next].compactMap(\.self)).min()
    }

    /// Failure of the first service that needs a person.
    var held: DeliveryReason? { services.values.lazy.compactMap(\.state.held).first }
    var trouble: DeliveryReason? { services.values.lazy.compactMap(\.state.trouble).first }

    /// Records that a service accepted a message.
    mutating func succeed(_ subscriber: Subscriber, at now: MonotonicInstant) {
        asides.remove(subscriber.label)
        guard var service = services.removeValue(forKey: Self.name(subscriber)) else { return }
        for label in service.doubt.succeed(subscriber.label) {
            asides.add(label, service.state.trouble, at: now)
        }
    }

    /// Forgets subscribers that no longer exist.
    mutating func keep(_ labels: Set<String>) { asides.removeAll { !labels.contains($0) } }

    /// Records that a service did not accept a message.
    ///
    /// - Parameters:
    ///   - outcome: Outcome of the attempt; after a hold it is tried each hour.
    /// - Returns: Why, where the log should say that it is this subscriber.
    mutating func fail(
        _ subscriber: Subscriber,
        _ outcome: DeliveryOutcome,
        at now: MonotonicInstant
    ) -> DeliveryReason? {
        let (reason, seconds, isHeld): (DeliveryReason, Int?, Bool)
        switch outcome {
        case .delivered: return nil
        case .later(let why, let asked): (reason, seconds, isHeld) = (why, asked, false)
        case .hold(let why): (reason, seconds, isHeld) = (why, nil, true)
        case .refused(let why), .partly(_, let why), .unknown(let why), .foreign(let why):
            (reason, seconds, isHeld) = (why, nil, false)
        }
        if asides.contains(subscriber.label) {
            let isNew = asides.fail(subscriber.label, reason, after: seconds, at: now)
            return isNew ? reason : nil
        }
        let name = Self.name(subscriber)
        if services.count >= Self.limit, services[name] == nil {
            services = services.filter { $0.value.state.notBefore > now }
        }
        var service = services[name] ?? Service(state: DeliveryState(seed: seed))
        if isHeld {
            _ = service.state.hold(reason, at: now)
        } else {
            _ = service.state.resume()
            service.state.fail(reason, after: seconds, at: now)
        }
        if reason.isServerFault || isHeld {
            service.doubt.fail(subscriber.label, reason, isSure: isHeld)
        } else {
            service.doubt.interrupt(reason)
        }
        services[name] = service
        return nil
    }

    /// Lets all services be asked again within a time.
    mutating func open(within time: Duration, at now: MonotonicInstant) {
        asides.wake(at: now)
        for name in services.keys {
            services[name]?.state.wake(at: now, within: time)
        }
    }
}
