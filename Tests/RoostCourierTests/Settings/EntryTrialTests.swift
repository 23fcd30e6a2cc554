import ControlProtocol
import Core
import SimulationKit
import Testing

@testable import CourierSimulation
@testable import RoostCourier

/// Tests how far a trial says that it came.
@Suite struct EntryTrialTests {
    private static func trial(
        _ fault: NetworkFault?,
        _ entry: String,
        in section: EntrySection = .targets,
        sends: Bool = false,
        hasTime: Bool = true
    ) throws -> EntryTrialReport {
        try simulate { clock in
            let life = try CourierLife(clock, targets: "")
            life.internet.set(fault, at: CourierLife.host)
            if hasTime { clock.setWallTime(TargetFixture.time) }
            let node = life.node()
            var question = TryEntry("new", sends: sends)
            (question.section, question.entry) = (section, entry)
            let report = try await CourierLife.ask(node, question)
            #expect(life.files.writeCount == 0, "a trial keeps nothing")
            withExtendedLifetime(life.station.folder) {}
            return report
        }
    }

    private static func steps(_ report: EntryTrialReport) -> String {
        report.steps.map { "\($0.name.rawValue) \($0.state.rawValue)" }.joined(separator: ", ")
    }

    private static let plain = #"""
        {"type":"influx1","url":"http://192.168.1.5:8086","database":"air"}
        """#
    private static let encrypted = plain.replacing("http:", with: "https:")

    /// Faults of the network, each with the steps of a trial.
    private static let faults: [(NetworkFault?, String, String)] = [
        (nil, plain, "settings done, name done, connection done, login done"),
        (.unknownHost, plain, "settings done, name failed, connection skipped, login skipped"),
        (.refused, plain, "settings done, name done, connection failed, login skipped"),
        (
            .wrongCertificate, encrypted,
            "settings done, name done, connection done, certificate failed, login skipped"
        ),
        (
            .status(401, retryAfterSeconds: nil), plain,
            "settings done, name done, connection done, login failed"
        ),
        (.captivePortal, plain, "settings done, name done, connection done, login failed"),
        (.silent, plain, "settings done, name done, connection done, login failed"),
    ]

    @Test(arguments: faults.indices)
    func theStepThatFailsIsNamed(index: Int) throws {
        let (fault, entry, steps) = Self.faults[index]
        let report = try Self.trial(fault, entry)
        #expect(Self.steps(report) == steps)
        #expect(report.isReached == (fault == nil))
        let failed = report.steps.first { $0.state == .failed }
        #expect(failed?.sentence?.isEmpty == false || fault == nil)
    }

    @Test func aReceiverIsSentATest() throws {
        let entry = #"""
            {"type":"smtp","url":"smtps://192.168.1.5:8086","from":"a@b.test","to":["c@d.test"]}
            """#
        let sent = try Self.trial(nil, entry, in: .receivers, sends: true)
        #expect(Self.steps(sent).hasSuffix("login skipped, message done"))
        let refused = try Self.trial(.refused, entry, in: .receivers, sends: true)
        #expect(Self.steps(refused).hasSuffix("login skipped, message skipped"))
        let early = try Self.trial(nil, entry, in: .receivers, hasTime: false)
        #expect(Self.steps(early) == "settings failed")
        #expect(early.steps[0].sentence?.contains("needs a date") == true)
    }

    @Test func aMissingSecretIsTheFirstStep() throws {
        let entry = Self.plain.replacing(
            #""database""#,
            with: #""user":"u","password":{"secret":"gone"},"database""#
        )
        let report = try Self.trial(nil, entry)
        #expect(Self.steps(report) == "settings failed")
        #expect(report.steps[0].sentence?.contains("gone") == true)
    }
}
