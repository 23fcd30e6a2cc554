import Core

/// Decides which children to warn about, which to replace, and whether all is well.
///
/// Pure. A child that misses its promise is warned about; after its limit more it is replaced; if
/// the new one misses its first promise too, replacing does not help and the next level decides.
struct HealthMonitorMachine: Sendable {
    /// The state of one child at one check.
    struct Watched: Sendable {
        /// Key that differs for each start of the child.
        let key: UInt64
        let child: String
        let limit: Duration
        let isCritical: Bool
        let beat: Heartbeat.State
    }

    enum Action: Hashable, Sendable {
        case warn(child: String, late: Duration)
        case replace(key: UInt64, child: String, late: Duration)
        case escalate(child: String)
        /// A child that was late beats again.
        case recovered(child: String)
        /// A child made no progress in this time, as far as is known now.
        case hung(child: String, Range<MonotonicInstant>)
        case pet
    }

    private enum Standing: Hashable {
        case warned(lastBeat: MonotonicInstant)
        /// The child with this key was asked to stop, to make room for a new one.
        case replaced(key: UInt64)
        case escalated
    }

    /// Time from one pet to the next: not sooner than the one, not later than the other.
    ///
    /// The wider, the more pets ride on wake-ups that come anyway.
    let petWindow: ClosedRange<Duration>

    // Children not here are on time. Bound: one for each child that is late or was replaced and has
    // not beaten since.
    private var standings: [String: Standing] = [:]
    private var petDue: MonotonicInstant
    private var unseen: Range<MonotonicInstant>?

    init(petWindow: ClosedRange<Duration>, startingAt now: MonotonicInstant) {
        precondition(petWindow.lowerBound > .zero)
        self.petWindow = petWindow
        petDue = now
    }

    /// Accounts for time in which the process did not run: the machine was suspended, or the
    /// process stopped.
    ///
    /// Beats that fell due in that time were impossible; they are due a limit later.
    mutating func wokeUp(after stretch: Range<MonotonicInstant>) { unseen = stretch }

    /// Checks all children.
    ///
    /// - Returns: Actions, in the order of `watched`, and whether to pet.
    mutating func look(at now: MonotonicInstant, _ watched: [Watched]) -> [Action] {
        var actions: [Action] = []
        for child in watched { check(child, at: now, into: &actions) }
        let present = Set(watched.map(\.child))
        for (child, standing) in standings.sorted(by: { $0.key < $1.key })
        where !present.contains(child) {
            switch standing {
            // A replaced child may be between two runs; any other that is absent was stopped.
            case .replaced: continue
            case .warned(let lastBeat): actions.append(.hung(child: child, lastBeat..<now))
            case .escalated: break
            }
            standings[child] = nil
        }
        if petDue <= now {
            // While a late child is being replaced the ladder still makes progress: the watchdog of
            // a board, which resets after 15 s, must leave it that time.
            let isWell = !watched.contains { $0.isCritical && standings[$0.child] == .escalated }
            if isWell { actions.append(.pet) }
            petDue = now.advanced(by: petWindow.lowerBound)
        }
        return actions
    }

    /// The window of the next look: it opens with the first thing to do and closes with the first
    /// that cannot wait longer.
    func nextLook(
        _ watched: [Watched]
    ) -> (opens: MonotonicInstant, closes: MonotonicInstant) {
        var opens = petDue
        var closes = petDue.advanced(by: petWindow.upperBound - petWindow.lowerBound)
        for child in watched {
            guard let due = nextStep(for: child) else { continue }
            opens = min(opens, due)
            closes = min(closes, due.advanced(by: child.limit / 10))
        }
        return (opens, closes)
    }

    private func deadline(of child: Watched) -> MonotonicInstant {
        let deadline = child.beat.deadline
        guard let unseen, unseen.contains(deadline) else { return deadline }
        return unseen.upperBound.advanced(by: child.limit)
    }

    private func nextStep(for child: Watched) -> MonotonicInstant? {
        let deadline = deadline(of: child)
        return switch standings[child.child] {
        case nil: deadline
        case .warned: deadline.advanced(by: child.limit)
        case .replaced(let key): key == child.key ? nil : deadline
        case .escalated: nil
        }
    }

    private mutating func check(
        _ child: Watched,
        at now: MonotonicInstant,
        into actions: inout [Action]
    ) {
        let (name, lastBeat) = (child.child, child.beat.lastBeat)
        let deadline = deadline(of: child)
        let standing = standings[name]
        guard deadline <= now else {
            // A replacement proves itself by its first beat.
            if case .replaced = standing, child.beat.count == 0 { return }
            if case .warned(let earlier) = standing, earlier < lastBeat {
                actions.append(.hung(child: name, earlier..<lastBeat))
            }
            standings[name] = nil
            if standing != nil { actions.append(.recovered(child: name)) }
            return
        }
        let late = deadline.duration(to: now)
        switch standing {
        case nil:
            standings[name] = .warned(lastBeat: lastBeat)
            actions.append(.hung(child: name, lastBeat..<now))
            actions.append(.warn(child: name, late: late))
        case .warned where late >= child.limit:
            standings[name] = .replaced(key: child.key)
            actions.append(.hung(child: name, lastBeat..<now))
            actions.append(.replace(key: child.key, child: name, late: late))
        case .replaced(let key) where key != child.key:
            standings[name] = .escalated
            actions.append(.hung(child: name, lastBeat..<now))
            actions.append(.escalate(child: name))
        case .warned, .replaced, .escalated: break
        }
    }
}
