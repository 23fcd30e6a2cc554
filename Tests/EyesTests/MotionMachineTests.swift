import Camera
import ControlProtocol
import Core
import Testing

@Suite struct MotionMachineTests {
    private static let motion = SeenMotion(
        source: "door",
        time: WallTime(nanoseconds: 1),
        instant: MonotonicInstant(nanoseconds: 1)
    )

    @Test func fourWaitAndOneMoreIsLeftOut() {
        var machine = MotionMachine()
        for _ in 0..<4 { #expect(machine.admit(Self.motion, isMasked: false) == .capture) }
        guard case .leftOut(let report) = machine.admit(Self.motion, isMasked: false) else {
            Issue.record("a fifth waits")
            return
        }
        #expect(report.isNew && report.news == .fails(why: report.why))
        #expect(machine.succeed() == .works(leftOut: 1))
        #expect(machine.waiting == 3 && machine.taken == 1 && machine.leftOut == 1)
    }

    @Test func aReasonIsLoggedOnceAndRecordedOnce() {
        var machine = MotionMachine()
        var reports: [MotionMachine.Report] = []
        for why in ["late", "late", "no disk"] {
            _ = machine.admit(Self.motion, isMasked: false)
            reports.append(machine.fail(Self.motion, why))
        }
        #expect(reports.map(\.isNew) == [true, false, true])
        #expect(reports.map(\.news) == [.fails(why: "late"), nil, nil])
        #expect(machine.trouble == "no disk" && machine.lacks.all.count == 3)
        _ = machine.admit(Self.motion, isMasked: false)
        #expect(machine.succeed() == .works(leftOut: 3))
        #expect(machine.trouble == nil)
    }

    @Test func aCameraThatIsAwayIsSaidOnceAndItsReturn() {
        var machine = MotionMachine()
        #expect(machine.look(isThere: true, absence: "away") == nil)
        #expect(machine.look(isThere: false, absence: "away") == .fails(why: "away"))
        #expect(machine.look(isThere: false, absence: "away") == nil)
        #expect(machine.look(isThere: true, absence: "away") == .works(leftOut: 0))
        _ = machine.admit(Self.motion, isMasked: false)
        _ = machine.fail(Self.motion, "late")
        // Plugging in ends no other trouble.
        #expect(machine.look(isThere: false, absence: "away") == nil)
        #expect(machine.look(isThere: true, absence: "away") == nil)
        #expect(machine.trouble == "late")
    }

    @Test func aMaskThatBeginsWhileAMotionWaitsHoldsForIt() {
        var machine = MotionMachine()
        #expect(machine.admit(Self.motion, isMasked: false) == .capture)
        machine.mask(Self.motion)
        #expect(machine.masked == 1 && machine.waiting == 0 && machine.taken == 0)
        #expect(machine.trouble == nil && machine.lacks.all.map(\.reason) == [.masked])
    }

    @Test func aMaskedMotionIsCountedAndNothingElse() {
        var machine = MotionMachine()
        #expect(machine.admit(Self.motion, isMasked: true) == .masked)
        #expect(machine.masked == 1 && machine.waiting == 0 && machine.trouble == nil)
        #expect(machine.lacks.all.map(\.reason) == [.masked])
    }
}
