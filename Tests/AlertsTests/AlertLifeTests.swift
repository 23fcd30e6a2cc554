import Core
import Testing

@testable import Alerts

@Suite struct AlertLifeTests {
    private static let on = AlertLife.Finding.place(AlertScale.Place(reached: 1, held: 1))
    private static let worse = AlertLife.Finding.place(AlertScale.Place(reached: 2, held: 2))
    private static let between = AlertLife.Finding.place(AlertScale.Place(reached: 0, held: 1))
    private static let off = AlertLife.Finding.place(AlertScale.Place(reached: 0, held: 0))

    private func run(
        _ steps: [(Int, AlertLife.Finding)],
        for forSeconds: Int = 0,
        until untilSeconds: Int = 0
    ) -> (AlertLife, [AlertLife.Change]) {
        var life = AlertLife()
        let timing = AlertLife.Timing(for: forSeconds, until: untilSeconds)
        let changes = steps.compactMap { time, finding in
            life.apply(finding, at: time, timing, mayRaise: true)
        }
        return (life, changes)
    }

    @Test func aConditionHasToHoldAndSoHasItsEnd() {
        let (_, changes) = run(
            [
                (0, Self.on), (599, Self.on), (600, Self.on), (700, Self.off), (900, Self.between),
                (1_000, Self.off), (1_299, Self.off), (1_300, Self.off),
            ],
            for: 600,
            until: 300
        )
        #expect(changes == [.raised(level: 1, held: 600), .resolved(.over, lasted: 700)])
    }

    @Test func aShortDipBeginsThePendingTimeAnew() {
        let (life, changes) = run([(0, Self.on), (300, Self.off), (400, Self.on)], for: 400)
        #expect(changes.isEmpty)
        #expect(life.phase == .pending && life.pendingSince == 400)
    }

    @Test func itRisesAndFallsByLevels() {
        let (life, changes) = run([
            (0, Self.on), (10, Self.worse), (20, Self.on), (30, Self.between), (40, Self.off),
        ])
        #expect(
            changes == [
                .raised(level: 1, held: 0), .level(2, was: 1), .level(1, was: 2),
                .resolved(.over, lasted: 40),
            ]
        )
        #expect(life.phase == .quiet)
    }

    @Test func absenceNeitherRaisesNorEnds() {
        let (life, changes) = run([
            (0, .blind("unplugged")), (10, Self.on), (20, .blind("unplugged")),
            (20 + 86_399, .blind("unplugged")),
        ])
        #expect(changes == [.raised(level: 1, held: 0)])
        #expect(life.blind?.why == "unplugged")
        let (_, later) = run([
            (0, Self.on), (20, .blind("unplugged")), (20 + 86_400, .blind("unplugged")),
        ])
        #expect(later.last == .resolved(.noData, lasted: 86_420))
    }

    @Test func aMutedChannelEndsIt() {
        let (_, changes) = run([(0, Self.on), (5, .muted), (6, .muted)])
        #expect(changes.last == .resolved(.muted, lasted: 5) && changes.count == 2)
    }

    @Test func whatKeepsComingAndGoingStaysForAnHour() {
        var steps: [(Int, AlertLife.Finding)] = []
        for round in 0..<20 { steps += [(round * 600, Self.on), (round * 600 + 300, Self.off)] }
        let (life, changes) = run(steps)
        let raises = changes.filter { if case .raised = $0 { true } else { false } }
        #expect(raises.count == 4)
        #expect(life.isFlapping && life.level == 1)
        let last = steps[steps.count - 1].0
        var after = life
        let timing = AlertLife.Timing(for: 0, until: 0)
        #expect(after.apply(Self.off, at: last + 3_599, timing, mayRaise: true) == nil)
        let end = after.apply(Self.off, at: last + 3_600, timing, mayRaise: true)
        #expect(end == .resolved(.over, lasted: last + 3_600 - 1_800))
    }

    @Test func anAcknowledgementEndsWithAHigherLevel() {
        var (life, _) = run([(0, Self.on)])
        life.acknowledge(until: nil)
        #expect(life.isAcknowledged(at: 1_000_000))
        _ = life.apply(Self.worse, at: 10, .init(for: 0, until: 0), mayRaise: true)
        #expect(!life.isAcknowledged(at: 11))
        life.acknowledge(until: 20)
        #expect(life.isAcknowledged(at: 19) && !life.isAcknowledged(at: 20))
    }
}
