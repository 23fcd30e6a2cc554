import Core
import Testing

@testable import Runtime

/// Compares the machine with the model on generated lives.
@Suite struct SupervisorModelTests {
    private static let seed: UInt64 = 20_261_121

    // 3 strategies × 3 restart kinds × 4 windows × 3 ways to end × 12 lives = 1 296 cases.
    @Test(arguments: RestartPolicy.Strategy.allCases, ChildSpec.Restart.allCases)
    func machineAndModelAgree(strategy: RestartPolicy.Strategy, kind: ChildSpec.Restart) {
        var generator = SplitMix64(seed: Self.seed)
        for (limit, period) in [(0, 10), (1, 10), (3, 10), (4, 2)] {
            for favourite in Life.Step.Way.allCases {
                for number in 1...12 {
                    let life = Life(kind, favourite, &generator)
                    var model = SupervisorModel(
                        strategy: strategy,
                        limit: limit,
                        periodSeconds: period,
                        life.children
                    )
                    var stage = Stage(life, strategy, limit: limit, period: .seconds(period))
                    let expected = life.play(&model)
                    let found = life.play(&stage)
                    #expect(
                        found == expected,
                        """
                        seed \(Self.seed), \(strategy), \(kind), limit \(limit) in \(period) s, \
                        \(favourite), life \(number): \(life)
                        """
                    )
                }
            }
        }
    }

    @Test func theModelItselfIsNotBlind() {
        var model = SupervisorModel(
            strategy: .restForOne,
            limit: 1,
            periodSeconds: 5,
            [("a", .permanent), ("b", .permanent), ("c", .temporary), ("d", .transient)]
        )
        model.begin()
        model.end("b", isFailure: true, at: 1)
        model.end("b", isFailure: true, at: 7)
        model.end("a", isFailure: false, at: 8)
        let starts = ["start a", "start b", "start c", "start d"]
        let first = ["stop d", "stop c", "start b", "start d"]
        let second = ["stop d", "start b", "start d"]
        #expect(model.log == starts + first + second + ["stop d", "stop b", "escalate a"])
    }
}

/// A generated sequence of things that happen to some children.
struct Life: CustomStringConvertible {
    struct Step {
        enum Way: CaseIterable { case returns, fails, failsTwice }
        enum What {
            case ends(Way)
            case replaced
            case removed
            case added(ChildSpec.Restart)
        }

        let second: Int
        let id: String
        let what: What
    }

    let children: [(String, ChildSpec.Restart)]
    let steps: [Step]
    /// Children whose first start fails.
    let failingFirst: Set<String>

    init(_ kind: ChildSpec.Restart, _ favourite: Step.Way, _ generator: inout SplitMix64) {
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
        let names = ["a", "b", "c", "d", "e"].prefix(Int.random(in: 1...5, using: &generator))
        children = names.map { id in
            (
                id,
                chance(60)
                    ? kind : ChildSpec.Restart.allCases.randomElement(using: &generator) ?? kind
            )
        }
        failingFirst = Set(names.filter { _ in chance(10) })
        var second = 1
        steps = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
            second += Int.random(in: 0...4, using: &generator)
            let id = names.randomElement(using: &generator) ?? "a"
            let way = chance(60) ? favourite : Step.Way.allCases.randomElement(using: &generator)
            let what: Step.What =
                switch Int.random(in: 0..<100, using: &generator) {
                case 0..<10: .replaced
                case 10..<17: .removed
                case 17..<27: .added(kind)
                default: .ends(way ?? favourite)
                }
            return Step(second: second, id: id, what: what)
        }
    }

    var description: String {
        let cast = children.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        let story = steps.map { "\($0.second) s: \($0.id) \($0.what)" }.joined(separator: "; ")
        return "[\(cast)], first starts failing \(failingFirst.sorted()): \(story)"
    }

    /// Plays the script on the model and returns its actions, and who is alive after each step.
    func play(_ model: inout SupervisorModel) -> [String] {
        var pulse: [String] = []
        model.failsToStart = failingFirst
        model.begin()
        for step in steps where !model.isOver {
            switch step.what {
            case .ends(let way):
                if way == .failsTwice { model.failsToStart.insert(step.id) }
                model.end(step.id, isFailure: way != .returns, at: step.second)
            case .replaced: model.replace(step.id, at: step.second)
            case .removed: model.remove(step.id)
            case .added(let kind): model.add(step.id, kind, at: step.second)
            }
            model.failsToStart = []
            pulse.append("\(step.second) s: \(model.alive)")
        }
        model.stop()
        return model.log + pulse
    }

    /// Plays the script on the machine and returns its actions, and who is alive after each step.
    func play(_ stage: inout Stage) -> [String] {
        var pulse: [String] = []
        stage.failsToStart = failingFirst
        stage.send(.timePassed, at: 0)
        for step in steps where !stage.isOver {
            switch step.what {
            case .ends(let way):
                if way == .failsTwice { stage.failsToStart.insert(step.id) }
                stage.end(step.id, way == .returns ? .normal : .failure("broken"), at: step.second)
            case .replaced: stage.send(.replace(step.id, reason: "late"), at: step.second)
            case .removed: stage.send(.remove(step.id), at: step.second)
            case .added(let kind):
                stage.send(.add(Stage.spec(step.id, kind)), at: step.second)
            }
            stage.failsToStart = []
            pulse.append("\(step.second) s: \(stage.alive)")
        }
        if !stage.isOver { stage.send(.stop, at: 1_000) }
        return stage.log + pulse
    }
}

/// Plays the supervisor's part around the machine: children start and stop at once.
struct Stage {
    private var machine: SupervisorMachine
    private(set) var log: [String] = []
    private(set) var isOver = false
    var failsToStart: Set<String> = []

    init(_ life: Life, _ strategy: RestartPolicy.Strategy, limit: Int, period: Duration) {
        machine = SupervisorMachine(
            policy: RestartPolicy(
                strategy: strategy,
                intensity: RestartIntensity(limit: limit, within: period),
                delay: .none
            ),
            seed: 1,
            children: life.children.map { Self.spec($0.0, $0.1) }
        )
    }

    static func spec(_ id: String, _ kind: ChildSpec.Restart) -> ChildSpec {
        ChildSpec(id: id, restart: kind) { _ in throw Broken() }  // The machine starts nothing.
    }

    var alive: [String] {
        machine.children.filter { $0.phase == .running }.map(\.spec.id)
    }

    mutating func end(_ id: String, _ exit: ChildExit, at second: Int) {
        guard alive.contains(id) else { return }
        send(.ended(id, exit), at: second)
    }

    mutating func send(_ input: SupervisorMachine.Input, at second: Int) {
        var inputs = [input]
        while !inputs.isEmpty {
            let now = MonotonicInstant.boot.advanced(by: .seconds(second))
            for action in machine.handle(inputs.removeFirst(), at: now) {
                switch action {
                case .start(let spec):
                    log.append("start \(spec.id)")
                    let fails = failsToStart.remove(spec.id) != nil
                    inputs.append(
                        fails ? .ended(spec.id, .failure("no such file")) : .started(spec.id)
                    )
                case .stop(let id):
                    log.append("stop \(id)")
                    inputs.append(.ended(id, .cancelled))
                case .finish(.orderly): finish("orderly")
                case .finish(.intensityExceeded(let child, _)): finish("escalate \(child)")
                case .unkillable(let id): log.append("unkillable \(id)")
                case .cancel, .note: break
                }
            }
        }
    }

    private mutating func finish(_ how: String) {
        log.append(how)
        isOver = true
    }
}
