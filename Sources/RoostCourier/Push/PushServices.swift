import Core

/// How each push service took its last message: one that fails is left alone for a while.
struct PushServices: Sendable {
    private struct Service {
        var delay: RetryDelay
        var notBefore: MonotonicInstant?
        var trouble: DeliveryReason?
        var isHeld = false
    }

    /// Services that are remembered; beyond it those that work are forgotten.
    private static let limit = 64
    private let seed: UInt64
    private var services: [String: Service] = [:]

    init(seed: UInt64) { self.seed = seed }

    /// The push service of a subscriber, which fails as a whole.
    private static func name(_ subscriber: Subscriber) -> String {
        switch subscriber.way {
        case .apns: "apns"
        case .webPush(let endpoint): endpoint.origin
        }
    }

    func isOpen(_ subscriber: Subscriber, at now: MonotonicInstant) -> Bool {
        services[Self.name(subscriber)]?.notBefore.map { $0 <= now } ?? true
    }

    func hasTrouble(_ subscriber: Subscriber) -> Bool {
        services[Self.name(subscriber)]?.trouble != nil
    }

    /// When the next that is left alone may be asked again.
    func nextOpening(after now: MonotonicInstant) -> MonotonicInstant? {
        services.values.compactMap(\.notBefore).filter { $0 > now }.min()
    }

    /// The first that needs a person.
    var held: DeliveryReason? { services.values.first { $0.isHeld }?.trouble }
    var trouble: DeliveryReason? { services.values.compactMap(\.trouble).first }

    /// A service took a message.
    mutating func succeed(_ subscriber: Subscriber) {
        services[Self.name(subscriber)] = nil
    }

    /// A service did not.
    ///
    /// - Parameters:
    ///   - isHeld: Whether a person has to change something: then it is tried each hour.
    mutating func fail(
        _ subscriber: Subscriber,
        _ reason: DeliveryReason,
        afterSeconds seconds: Int? = nil,
        isHeld: Bool = false,
        at now: MonotonicInstant
    ) {
        let name = Self.name(subscriber)
        if services.count >= Self.limit, services[name] == nil {
            services = services.filter { $0.value.notBefore.map { $0 > now } ?? false }
        }
        var service = services[name] ?? Service(delay: RetryDelay(seed: seed))
        let wait =
            isHeld
            ? service.delay.spread(RetryDelay.probe)
            : service.delay.fail(reason, afterSeconds: seconds)
        (service.trouble, service.isHeld) = (reason, isHeld)
        service.notBefore = now.advanced(by: wait)
        services[name] = service
    }

    /// All may be asked within a time.
    mutating func open(within time: Duration, at now: MonotonicInstant) {
        for name in services.keys {
            guard var service = services[name] else { continue }
            let soon = now.advanced(by: time > .zero ? service.delay.spread(time) : .zero)
            service.notBefore = service.notBefore.map { min($0, soon) }
            services[name] = service
        }
    }
}
