import Testing

@testable import Provisioning

@Suite struct NetworkTrialTests {
    /// A station's card and radio; a loss of power ends the radio and keeps the card.
    private struct Machine {
        var present: String? = "old"
        var candidate: String?
        var radio: Radio
        /// What each look finds; the last one again and again.
        var seen: [WirelessFinding?]
        var steps: [NetworkTrial.Step] = []
        var provesAt: Int?
        var failing: NetworkTrial.Step?
        /// Seconds of one look, with the wait before it.
        var lookSeconds = 2
        var second = 0

        enum Radio: Hashable { case present, candidate, point, nothing }

        mutating func perform(_ step: NetworkTrial.Step) -> NetworkTrial.Event {
            steps.append(step)
            if step == failing { return .failed("the card is full") }
            switch step {
            case .keepCandidate: candidate = "new"
            case .freeRadio, .endCandidate: radio = .nothing
            case .startCandidate: radio = .candidate
            case .look:
                let finding = seen.count > 1 ? seen.removeFirst() : seen[0]
                if finding == nil { provesAt = steps.count }
                second += lookSeconds
                return .seen(finding, second: second)
            case .adopt: (present, candidate) = (candidate, nil)
            case .discard: candidate = nil
            case .startPresent: radio = present == nil ? .nothing : .present
            case .openPoint(let isAtOnce): if isAtOnce { radio = .point }
            }
            return .done
        }

        /// The next start: what was not proved is removed, and the configuration in place is used.
        mutating func start() {
            candidate = nil
            radio = present == nil ? .nothing : .present
        }
    }

    /// What the evidence of a cause gives; a wrong one would count as joined.
    private static func finding(_ cause: WirelessFinding.Cause) -> WirelessFinding? {
        let text = WirelessConfiguration.text(
            WirelessNetwork(name: "home", secret: .passphrase("12345678")),
            country: nil,
            before: nil
        )
        let denied =
            "wlan0: CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid=\"home\" duration=10 reason=WRONG_KEY\n"
        let evidence =
            switch cause {
            case .wrongPassword: denied
            case .absent: ""
            case .refused: "\tSSID: home\n"
            case .noAddress: "wpa_state=COMPLETED\n"
            }
        return WirelessFinding(
            evidence,
            configuration: text ?? "",
            hasAddress: cause != .noAddress
        )
    }

    private static let causes: [WirelessFinding.Cause] = [
        .wrongPassword, .absent(similar: nil), .refused, .noAddress,
    ]

    private func run(_ machine: inout Machine, hadPoint: Bool) -> NetworkOutcome {
        var trial = NetworkTrial(hadPoint: hadPoint)
        trial.run { machine.perform($0) }
        return trial.outcome(of: "61")
    }

    @Test(arguments: [true, false])
    func staysInTheNewNetworkOnceItHasAnAddress(hadPoint: Bool) {
        let waits = [Self.finding(.absent(similar: nil)), Self.finding(.noAddress), nil]
        var machine = Machine(radio: hadPoint ? .point : .present, seen: waits)
        #expect(run(&machine, hadPoint: hadPoint) == NetworkOutcome("61", .joined))
        #expect(machine.present == "new" && machine.candidate == nil && machine.radio == .present)
        let expected: [NetworkTrial.Step] = [
            .keepCandidate, .freeRadio, .startCandidate, .look, .look, .look, .adopt, .endCandidate,
            .startPresent,
        ]
        #expect(machine.steps == expected)
    }

    @Test(arguments: causes)
    func returnsToWhatWorkedAndSaysWhy(cause: WirelessFinding.Cause) throws {
        let finding = try #require(Self.finding(cause))
        for present in ["old", nil] {
            var machine = Machine(present: present, radio: .present, seen: [finding])
            let outcome = run(&machine, hadPoint: false)
            #expect(outcome.result == cause.result && outcome.why == finding.line)
            #expect(machine.present == present && machine.candidate == nil)
            #expect(machine.radio == (present == nil ? .nothing : .present))
            #expect(machine.steps.last == .openPoint(atOnce: false))
            let looks = machine.steps.count { $0 == .look }
            #expect(looks == (cause == .wrongPassword ? 11 : 45))
        }
    }

    @Test func opensTheAccessPointAtOnceForWhoCameByIt() {
        var machine = Machine(present: nil, radio: .point, seen: [Self.finding(.refused)])
        #expect(run(&machine, hadPoint: true).result == .refused)
        #expect(machine.radio == .point && machine.present == nil && machine.candidate == nil)
    }

    /// A broken handshake of a weak signal is no wrong password yet.
    @Test func aPasswordThatIsTakenInTheEndWasRight() {
        let denials = [WirelessFinding?](repeating: Self.finding(.wrongPassword), count: 8)
        var machine = Machine(radio: .present, seen: denials + [nil])
        #expect(run(&machine, hadPoint: false).result == .joined)
    }

    /// A board whose looks take long is not away from its network for longer than the page says,
    /// and one broken handshake is no wrong password there either.
    @Test(arguments: [1, 7, 30])
    func theClockEndsATryAndNotTheNumberOfLooks(lookSeconds: Int) {
        var machine = Machine(radio: .present, seen: [Self.finding(.refused)])
        machine.lookSeconds = lookSeconds
        #expect(run(&machine, hadPoint: false).result == .refused)
        #expect((90..<90 + lookSeconds).contains(machine.second))
        machine.seen = [Self.finding(.wrongPassword), nil]
        (machine.candidate, machine.second) = (nil, 0)
        #expect(run(&machine, hadPoint: false).result == .joined)
    }

    @Test(arguments: [
        NetworkTrial.Step.keepCandidate, .freeRadio, .startCandidate, .look, .adopt,
    ])
    func aStepThatFailsLeavesThePresentNetwork(step: NetworkTrial.Step) {
        var machine = Machine(radio: .present, seen: [nil])
        machine.failing = step
        let outcome = run(&machine, hadPoint: false)
        #expect(outcome == NetworkOutcome("61", .failed, why: "the card is full"))
        #expect(machine.present == "old" && machine.candidate == nil && machine.radio == .present)
        #expect(machine.steps.contains(.startPresent) == (step != .keepCandidate))
    }

    @Test func aFailureOnTheWayBackKeepsTheReason() {
        for step in [NetworkTrial.Step.endCandidate, .discard, .startPresent] {
            var machine = Machine(radio: .present, seen: [Self.finding(.refused)])
            machine.failing = step
            #expect(run(&machine, hadPoint: false).result == .refused)
            #expect(machine.present == "old" && machine.steps.last == .openPoint(atOnce: false))
        }
    }

    /// After any step of any way the power may be lost: then the old network is in place, or the
    /// new one that was proved.
    @Test func aLossOfPowerLeavesANetworkThatWasTried() {
        let ends: [[WirelessFinding?]] =
            Self.causes.map { [Self.finding($0)] } + [[nil], [Self.finding(.refused), nil]]
        var cuts = 0
        for seen in ends {
            for hadPoint in [true, false] {
                for present in ["old", nil] {
                    let whole = Machine(present: present, radio: .present, seen: seen)
                    var machine = whole
                    _ = run(&machine, hadPoint: hadPoint)
                    for count in 0...machine.steps.count {
                        var cut = whole
                        for step in machine.steps.prefix(count) { _ = cut.perform(step) }
                        let isProved = cut.provesAt != nil
                        cut.start()
                        #expect(cut.present == present || isProved && cut.present == "new")
                        #expect(cut.candidate == nil)
                        cuts += 1
                    }
                }
            }
        }
        #expect(cuts > 700)
    }
}
