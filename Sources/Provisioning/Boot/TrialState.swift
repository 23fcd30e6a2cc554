/// Where a station is between an update and the word that it is good.
package enum TrialState: Hashable, Sendable {
    /// The good root runs, and no other is to be tried.
    case settled
    /// The good root runs; the other one is tried at the next start.
    case waiting(RootSlot)
    /// The root on trial runs. Until it is confirmed, the next start is the good one's.
    case onTrial(RootSlot)
    /// The good root runs again: the other one was tried, and never said that it is good.
    case fellBack(from: RootSlot)
    /// The root that runs is neither: the good one could not be started.
    case standIn(good: RootSlot)

    package init(_ slots: BootSlots, running: RootSlot) {
        switch (slots.trial, slots.isTrialWaiting) {
        case (running, false): self = .onTrial(running)
        case _ where running != slots.good: self = .standIn(good: slots.good)
        case (running.other, true): self = .waiting(running.other)
        case (running.other, false): self = .fellBack(from: running.other)
        default: self = .settled
        }
    }
}
