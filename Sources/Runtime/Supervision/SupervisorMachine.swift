import Core

/// Decides what a supervisor does: which child starts, stops or is restarted, and when.
///
/// Pure: takes events, returns actions, touches no task. It keeps a goal for each child (up, down,
/// or down and then up again), and after every event does the steps towards it that the order
/// allows: down from right to left, up from left to right.
///
/// - Source: Erlang/OTP, *supervisor* behaviour, for strategies, restart kinds and intensity.
struct SupervisorMachine: Sendable {
    enum Input: Sendable {
        /// The clock reached `nextDeadline`, or the supervisor begins.
        case timePassed
        /// The factory returned and the child runs.
        case started(String)
        /// The child is gone: its task has ended.
        case ended(String, ChildExit)
        case stop
        case add(ChildSpec)
        case remove(String)
        /// Stop the child and restart it, as if it had failed for `reason`.
        case replace(String, reason: String)
    }

    enum Action: Sendable {
        case start(ChildSpec)
        /// Ask the child to stop; its grace begins.
        case stop(String)
        /// Cancel a child that was asked to stop and hangs: three quarters of its grace are over.
        case cancel(String)
        /// The child outlived its grace, and nothing here can end it.
        case unkillable(String)
        case note(SupervisionNotice)
        /// No child is left; the supervisor ends like this.
        case finish(Ending)
    }

    enum Ending: Hashable, Sendable {
        case orderly
        case intensityExceeded(child: String, last: ChildExit)
    }

    /// Children at most, static and dynamic; `add` is refused at the bound.
    static let childLimit = 256

    private(set) var children: [SupervisedChild]
    let policy: RestartPolicy
    private var intensity: RestartIntensity
    private var generator: SplitMix64
    private var ending: Ending?
    private var now = MonotonicInstant.boot
    private var actions: [Action] = []

    init(policy: RestartPolicy, seed: UInt64, children specs: [ChildSpec]) {
        precondition(Set(specs.map(\.id)).count == specs.count, "two children share an id")
        precondition(specs.count <= Self.childLimit, "too many children")
        self.policy = policy
        intensity = policy.intensity
        generator = SplitMix64(seed: seed)
        children = specs.map { SupervisedChild($0, delay: policy.delay, isDynamic: false) }
    }

    /// Instant to send `timePassed` if nothing else happens: a restart is due or a grace is over.
    var nextDeadline: MonotonicInstant? {
        children.compactMap { $0.nextDeadline(after: now) }.min()
    }

    /// Whether no start is under way: each child runs, waits for its time, or ended.
    var isSettled: Bool {
        ending == nil && !children.contains { $0.phase == .starting }
    }

    /// Handles one event.
    ///
    /// - Returns: Actions to carry out, in order.
    mutating func handle(_ input: Input, at instant: MonotonicInstant) -> [Action] {
        now = max(now, instant)
        actions = []
        switch input {
        case .timePassed: break
        case .started(let id): recordStarted(id)
        case .ended(let id, let exit): recordEnded(id, exit)
        case .stop: stopAll(.orderly)
        case .add(let spec): add(spec)
        case .remove(let id): remove(id)
        case .replace(let id, let reason): replace(id, reason)
        }
        takeDown()
        cancelWhoHangs()
        reportUnkillable()
        startWhoMay()
        if let ending, children.allSatisfy({ $0.phase == .down }) {
            actions.append(.finish(ending))
        }
        return actions
    }

    /// Releases the children's factories, once none is started any more.
    mutating func forgetStarts() {
        for index in children.indices { children[index].forgetStart() }
        actions = []
    }
}

// MARK: What happened

extension SupervisorMachine {
    private func index(of id: String) -> Int? { children.firstIndex { $0.spec.id == id } }

    private mutating func recordStarted(_ id: String) {
        guard let index = index(of: id), children[index].phase == .starting else { return }
        children[index].phase = .running
        children[index].runningSince = now
        let restartCount = children[index].startCount - 1
        actions.append(.note(.started(child: id, restartCount: restartCount)))
    }

    private mutating func recordEnded(_ id: String, _ exit: ChildExit) {
        guard let index = index(of: id), children[index].phase != .down else { return }
        let wasToStop = children[index].isToStop
        let ran = children[index].endRun(exit, at: now)
        actions.append(.note(.ended(child: id, exit, ran: ran, isExpected: wasToStop)))
        if wasToStop {
            leaveIfRemoved(index)
        } else if children[index].spec.restart.applies(to: exit) {
            restart(index, exit, ran: ran)
        } else {
            children[index].isWanted = false
            // As in OTP: a temporary child's spec goes with it. Static ones stay for the tree.
            let child = children[index]
            if child.isDynamic, child.spec.restart == .temporary { children.remove(at: index) }
        }
    }

    // Restarts the child and those that the strategy restarts with it, or escalates.
    private mutating func restart(_ index: Int, _ exit: ChildExit, ran: Duration) {
        let id = children[index].spec.id
        guard intensity.admitsRestart(at: now) else {
            actions.append(.note(.escalating(child: id, exit)))
            return stopAll(.intensityExceeded(child: id, last: exit))
        }
        let delay = children[index].delay.next(afterRunning: ran, using: &generator)
        let startsAt = children[index].earliestStart(now.advanced(by: delay))
        let attempt = children[index].delay.attempt
        actions.append(
            .note(.restarting(child: id, attempt: attempt, delay: now.duration(to: startsAt)))
        )
        let members =
            switch policy.strategy {
            case .oneForOne: index..<index + 1
            case .restForOne: index..<children.count
            case .oneForAll: 0..<children.count
            }
        for member in members { children[member].comeBack(at: startsAt) }
    }

    private mutating func stopAll(_ newEnding: Ending) {
        guard ending == nil else { return }
        ending = newEnding
        for index in children.indices { children[index].goDown() }
    }
}

// MARK: Requests

extension SupervisorMachine {
    private mutating func add(_ spec: ChildSpec) {
        func refuse(_ reason: String) {
            actions.append(.note(.refused(child: spec.id, reason: reason)))
        }
        guard ending == nil else { return refuse("stopping") }
        let newcomer = SupervisedChild(spec, delay: policy.delay, isDynamic: true)
        if let index = index(of: spec.id) {
            if children[index].isLeaving {
                children[index].successor = spec
            } else if children[index].hasEnded {
                children[index] = newcomer
            } else {
                refuse("there already")
            }
        } else if children.count < Self.childLimit {
            children.append(newcomer)
        } else {
            refuse("too many children")
        }
    }

    private mutating func remove(_ id: String) {
        guard let index = index(of: id) else { return }
        children[index].isLeaving = true
        children[index].successor = nil
        children[index].goDown()
        if !children[index].isToStop { leaveIfRemoved(index) }
    }

    // A child that was removed leaves; one added meanwhile under its id replaces it.
    private mutating func leaveIfRemoved(_ index: Int) {
        guard children[index].isLeaving else { return }
        if let successor = children[index].successor, ending == nil {
            children[index] = SupervisedChild(successor, delay: policy.delay, isDynamic: true)
        } else {
            children.remove(at: index)
        }
    }

    private mutating func replace(_ id: String, _ reason: String) {
        guard let index = index(of: id), ending == nil, children[index].isUp,
            !children[index].isToStop
        else { return }
        restart(index, .failure(reason), ran: children[index].ran(until: now))
    }
}

// MARK: Steps towards the goal

extension SupervisorMachine {
    // Where children depend on each other, or all go, one stops after the other, rightmost first,
    // unless the policy says that they need not.
    private mutating func takeDown() {
        let isSequential =
            !policy.stopsTogether && (policy.strategy != .oneForOne || ending != nil)
        for index in children.indices.reversed() where children[index].isToStop {
            let child = children[index]
            if child.phase == .starting || child.phase == .running {
                let grace = child.spec.shutdownGrace
                children[index].phase = .stopping(graceEnds: now.advanced(by: grace))
                children[index].patienceEnds = now.advanced(by: grace * 3 / 4)
                actions.append(.stop(child.spec.id))
            }
            if isSequential { return }
        }
    }

    // Not when all go: what saves the most needs its whole grace, and the process ends anyway.
    private mutating func cancelWhoHangs() {
        for index in children.indices {
            guard let end = children[index].patienceEnds, end <= now else { continue }
            children[index].patienceEnds = nil
            if ending == nil { actions.append(.cancel(children[index].spec.id)) }
        }
    }

    private mutating func reportUnkillable() {
        for index in children.indices {
            guard case .stopping(let graceEnds?) = children[index].phase, graceEnds <= now else {
                continue
            }
            children[index].phase = .stopping(graceEnds: nil)
            let spec = children[index].spec
            actions.append(.note(.unkillable(child: spec.id, grace: spec.shutdownGrace)))
            actions.append(.unkillable(spec.id))
        }
    }

    private mutating func startWhoMay() {
        for index in children.indices where mayStart(index) {
            children[index].beginStart(at: now)
            actions.append(.start(children[index].spec))
        }
    }

    private func mayStart(_ index: Int) -> Bool {
        let child = children[index]
        guard child.isWanted, child.phase == .down, child.notBefore <= now else { return false }
        let left = children[..<index]
        switch policy.strategy {
        case .oneForOne:
            // A child that failed to start waits by itself; the next ones need not wait for it.
            return child.startCount > 0 || left.allSatisfy { !$0.isWanted || $0.isFirstStartOver }
        case .oneForAll, .restForOne:
            return !children.contains { $0.isToStop }
                && left.allSatisfy { !$0.isWanted || $0.phase == .running }
        }
    }
}
