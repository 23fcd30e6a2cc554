import Core

@testable import Runtime

/// Reference model of OTP's contract for a supervisor, without delays.
///
/// Knows nothing of the machine it is compared with: no phases, no goals, no messages.
struct SupervisorModel {
    struct Member {
        let id: String
        let kind: ChildSpec.Restart
        var isAlive = false
        var wasTried = false
        var isDone = false
    }

    let strategy: RestartPolicy.Strategy
    let limit: Int
    let periodSeconds: Int
    private(set) var members: [Member]
    private(set) var log: [String] = []
    private(set) var isOver = false
    private var restartSeconds: [Int] = []
    /// Children whose next start fails.
    var failsToStart: Set<String> = []

    init(
        strategy: RestartPolicy.Strategy,
        limit: Int,
        periodSeconds: Int,
        _ members: [(String, ChildSpec.Restart)]
    ) {
        self.strategy = strategy
        self.limit = limit
        self.periodSeconds = periodSeconds
        self.members = members.map { Member(id: $0.0, kind: $0.1) }
    }

    var alive: [String] { members.filter(\.isAlive).map(\.id) }

    mutating func begin() { start(members.map(\.id), at: 0) }

    mutating func end(_ id: String, isFailure: Bool, at second: Int) {
        guard let place = place(of: id), members[place].isAlive else { return }
        members[place].isAlive = false
        fall(place, isFailure: isFailure, at: second)
    }

    mutating func replace(_ id: String, at second: Int) {
        guard let place = place(of: id), members[place].isAlive else { return }
        restart(place, at: second)
    }

    mutating func remove(_ id: String) {
        guard let place = place(of: id) else { return }
        if members[place].isAlive { log.append("stop \(id)") }
        members.remove(at: place)
    }

    mutating func add(_ id: String, _ kind: ChildSpec.Restart, at second: Int) {
        if let place = place(of: id) {
            guard members[place].isDone else { return }
            members[place] = Member(id: id, kind: kind)
        } else {
            members.append(Member(id: id, kind: kind))
        }
        start([id], at: second)
    }

    mutating func stop() {
        guard !isOver else { return }
        stop(members.map(\.id))
        log.append("orderly")
        isOver = true
    }

    private func place(of id: String) -> Int? { members.firstIndex { $0.id == id } }

    private mutating func fall(_ place: Int, isFailure: Bool, at second: Int) {
        switch members[place].kind {
        case .permanent: restart(place, at: second)
        case .transient where isFailure: restart(place, at: second)
        case .transient, .temporary: members[place].isDone = true
        }
    }

    private mutating func restart(_ place: Int, at second: Int) {
        restartSeconds = restartSeconds.filter { second - $0 <= periodSeconds } + [second]
        if restartSeconds.count > limit {
            stop(members.map(\.id))
            log.append("escalate \(members[place].id)")
            isOver = true
            return
        }
        let together: [Member] =
            switch strategy {
            case .oneForOne: [members[place]]
            case .oneForAll: members
            case .restForOne: Array(members.dropFirst(place))
            }
        stop(together.map(\.id))
        start(together.map(\.id), at: second)
    }

    private mutating func stop(_ ids: [String]) {
        for place in members.indices.reversed() where ids.contains(members[place].id) {
            guard members[place].isAlive else { continue }
            log.append("stop \(members[place].id)")
            members[place].isAlive = false
        }
    }

    private mutating func start(_ ids: [String], at second: Int) {
        for id in ids {
            guard !isOver, let place = place(of: id), !members[place].isAlive else { continue }
            if members[place].kind == .temporary && members[place].wasTried {
                members[place].isDone = true
                continue
            }
            members[place].isDone = false
            members[place].wasTried = true
            log.append("start \(id)")
            if failsToStart.remove(id) == nil {
                members[place].isAlive = true
            } else {
                fall(place, isFailure: true, at: second)
            }
        }
    }
}
