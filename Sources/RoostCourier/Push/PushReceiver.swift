/// A receiver that reaches all subscribers of one kind.
///
/// The courier runs it as a `PushTask`, which keeps every subscriber's interval; `deliver` sends to
/// all at once, for trials.
struct PushReceiver: NoticeReceiver {
    let sender: any PushSender
    let store: SubscriberStore

    var replaces: Bool { true }

    init(_ sender: any PushSender, to store: SubscriberStore) {
        (self.sender, self.store) = (sender, store)
    }

    func deliver(
        _ notice: Notice,
        over network: any CourierNetwork
    ) async throws -> DeliveryOutcome {
        let subscribers: [Subscriber]
        do { subscribers = try await store.all(sender.kind) } catch let error as CancellationError {
            throw error
        } catch { return .hold(DeliveryReason("subscribers", "\(error)")) }
        guard !subscribers.isEmpty else {
            let words = "there are no subscribers of type \(sender.kind.rawValue)"
            return .refused(DeliveryReason("no-subscribers", words))
        }
        var worst = DeliveryOutcome.delivered
        for subscriber in subscribers {
            switch try await sender.deliver(notice, to: subscriber, over: network) {
            case .judged(.delivered): continue
            case .judged(let outcome): worst = outcome
            case .gone(let reason): worst = .refused(reason)
            }
        }
        return worst
    }
}
