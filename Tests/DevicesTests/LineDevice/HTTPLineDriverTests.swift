import HardwareIO
import Synchronization
import Testing

@testable import Core
@testable import Devices
@testable import Runtime
@testable import SimulationKit

@Suite struct HTTPLineDriverTests {
    /// Gives scripted answers, each from an instant on.
    final class Script: HTTPFetcher {
        private let clock: any NodeClock
        private let answers: [(from: Int, answer: Result<HTTPResponse, HTTPError>)]
        private let delay: Duration
        let count = Mutex(0)

        init(
            _ clock: any NodeClock,
            _ answers: [(Int, Result<HTTPResponse, HTTPError>)],
            after delay: Duration
        ) {
            self.clock = clock
            self.answers = answers
            self.delay = delay
        }

        func get(
            _ target: HTTPTarget,
            until deadline: MonotonicInstant
        ) async throws -> HTTPResponse {
            count.withLock { $0 += 1 }
            if delay > .zero { try await clock.sleep(for: delay) }
            let second = Int(clock.now.nanoseconds / 1_000_000_000)
            guard let entry = answers.last(where: { $0.from <= second }) else {
                throw HTTPError.timedOut(target)
            }
            return try entry.answer.get()
        }
    }

    private static func ok(_ line: String) -> Result<HTTPResponse, HTTPError> {
        .success(HTTPResponse(status: 200, body: Array(line.utf8)))
    }

    private static func run(
        _ answers: [(Int, Result<HTTPResponse, HTTPError>)],
        after delay: Duration = .zero,
        for seconds: Int
    ) throws -> (sink: RecordingSink, questions: Int) {
        let profile = try LineDeviceDialectTests.profile(#"{"fields": ["a", "b"]}"#)
        let format = try LineFormat(profile)
        let target = try #require(HTTPTarget("http://10.0.0.7/"))
        return try simulate { clock in
            let (sink, script) = (RecordingSink(), Script(clock, answers, after: delay))
            let driver = HTTPLineDriver(
                name: "board",
                target: target,
                format: format,
                interval: .seconds(5),
                fetcher: script,
                environment: DriverEnvironment(
                    clock: clock,
                    sink: sink,
                    heartbeat: Heartbeat(clock: clock, limit: .seconds(60))
                )
            )
            async let running: Void = driver.run()
            try await clock.sleep(for: .seconds(seconds))
            driver.requestStop()
            try await running
            return (sink, script.count.withLock { $0 })
        }
    }

    @Test func takesOneSampleAnInterval() throws {
        let (sink, questions) = try Self.run([(0, Self.ok("\r\n1.5;4\r\n"))], for: 60)
        #expect((11...13).contains(questions))
        #expect(sink.samples.count == questions)
        #expect(sink.samples.allSatisfy { $0.map(\.outcome) == [.value(1.5), .value(4)] })
    }

    @Test(arguments: [
        ok("1.5"), ok(""), .success(HTTPResponse(status: 500, body: Array("1.5;4".utf8))),
    ])
    func believesNothingElse(answer: Result<HTTPResponse, HTTPError>) throws {
        let (sink, _) = try Self.run([(0, answer)], for: 100)
        #expect(!sink.samples.isEmpty)
        let outcomes = Set(sink.samples.joined().map(\.outcome))
        #expect(outcomes == [.noData(.badFrames)])
        #expect(sink.events.map(\.kind.name) == ["HTTP device not answering"])
    }

    @Test func doubtsWhatABoardRepeatsForEver() throws {
        // At 5 s: doubtful after an hour, no value after a day.
        let (sink, _) = try Self.run([(0, Self.ok("1.5;4"))], for: 90_000)
        let outcomes = sink.samples.map { $0[0].outcome }
        let first = try #require(outcomes.firstIndex(of: .value(1.5, .unchanging)))
        let last = try #require(outcomes.firstIndex(of: .noData(.stuck)))
        #expect((700...740).contains(first) && (17_100...17_400).contains(last))
        #expect(outcomes.suffix(10).allSatisfy { $0 == .noData(.stuck) })
        #expect(
            sink.events.map(\.kind.name).prefix(2) == ["readings doubtful", "readings doubtful"]
        )
    }

    @Test func flagsAJumpAsItsProfileSays() throws {
        let (sink, _) = try Self.run([(0, Self.ok("1.5;4")), (30, Self.ok("90;4"))], for: 60)
        let outcomes = sink.samples.map { $0[0].outcome }
        #expect(outcomes.count { $0 == .value(90, .jump) } == 1)
        #expect(outcomes.count { $0 == .value(90) } > 3)
    }

    @Test func accountsForEveryIntervalOfAnOutageAndAsksLessOften() throws {
        let (sink, questions) = try Self.run([(3_600, Self.ok("1.5;4"))], for: 4_200)
        let missed = sink.samples.filter { $0[0].outcome == .noData(.replyTimeout) }.count
        let good = sink.samples.filter { $0[0].outcome == .value(1.5) }.count
        #expect(good > 0)
        #expect((836...844).contains(missed + good), "one for each five seconds")
        #expect(questions < 200)
        let instants = sink.samples.map { $0[0].instant }
        #expect(instants == instants.sorted())
        #expect(
            sink.events.map(\.kind.name) == [
                "HTTP device not answering", "HTTP device answers again",
            ]
        )
    }

    /// A question that was due before the late answer before it came has the later time.
    @Test func keepsItsSamplesInOrderWhenAnswersAreSlow() throws {
        let answers = [
            (0, Self.ok("1.5;4")), (20, .success(HTTPResponse(status: 500, body: []))),
            (30, Self.ok("1.5;4")),
        ]
        let (sink, _) = try Self.run(answers, after: .milliseconds(9_500), for: 120)
        let instants = sink.samples.map { $0[0].instant }
        #expect(instants.count > 8)
        #expect(zip(instants, instants.dropFirst()).allSatisfy { $0 < $1 })
    }
}
