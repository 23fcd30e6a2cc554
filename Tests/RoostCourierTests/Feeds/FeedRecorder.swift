import ControlProtocol
import Core
import HardwareIO
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Store

/// Stores rows as the station does: one for each source, series and time.
final class FeedRecorder: QuestionClient {
    struct State {
        var values: [String: Double] = [:]
        var batches: [[ImportRow]] = []
        var isDown = false
        var refusal: ControlFailure?
    }
    let state = Mutex(State())
    let clock: SimulatedClock
    static let begun: Int64 = 1_790_000_000

    init(_ clock: SimulatedClock) { self.clock = clock }

    static func time(_ clock: SimulatedClock) -> WallTime {
        WallTime(nanoseconds: begun * 1_000_000_000 + clock.now.nanoseconds)
    }

    func exchange(_ line: String, within limit: Duration?) async throws -> String {
        guard !state.withLock({ $0.isDown }) else { throw StationDown("it is down") }
        var questions = QuestionTable("this station", users: LocalUsers())
        questions.on(GetClock.self) { [clock] _, _ in
            ClockReport(time: Self.time(clock).iso8601, trust: "synchronised", isSure: true)
        }
        questions.on(ImportValues.self) { question, _ in
            if let refusal = self.state.withLock({ $0.refusal }) { throw refusal }
            return self.append(question.rows)
        }
        return try await questions.answer(line)
    }

    private func append(_ rows: [ImportRow]) -> ImportsReport {
        state.withLock { state in
            state.batches.append(rows)
            var (written, same, revised) = (0, 0, 0)
            for row in rows {
                let key = "\(row.source) \(row.series) \(row.time)"
                guard let value = row.value else {
                    same += 1
                    continue
                }
                let known = state.values.updateValue(value, forKey: key)
                written += known == nil ? 1 : 0
                same += known == value ? 1 : 0
                revised += known.map { $0 == value ? 0 : 1 } ?? 0
            }
            return ImportsReport(written: written, same: same, revised: revised, refusals: [])
        }
    }
}
