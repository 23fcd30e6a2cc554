import Core
import SimulationKit
import Synchronization
import Testing

@testable import CourierSimulation
@testable import RoostCourier
@testable import Runtime

/// Tests an InfluxDB that has a field with another type, and always refuses it.
@Suite struct InfluxConflictTests {
    /// Answers as versions 1.6 and 2.7 do: they write the other points, and drop whole ones.
    private final class Conflict: SimulatedServer {
        private let stored = Mutex<[String: String]>([:])
        private let bad = Mutex("pm25=")
        let status: Int

        init(_ status: Int) { self.status = status }

        var lines: [String: String] { stored.withLock { $0 } }

        func mend() { bad.withLock { $0 = "no such field" } }

        func answer(_ request: OutboundRequest) async -> OutboundAnswer {
            let bad = bad.withLock { $0 }
            let lines = request.text.split(separator: "\n").map(String.init)
            let good = lines.filter { !$0.contains(bad) }
            stored.withLock { stored in
                for line in good {
                    let parts = line.split(separator: " ").map(String.init)
                    stored[parts[0] + " " + parts[2]] = parts[1]
                }
            }
            guard good.count < lines.count else { return OutboundAnswer(204) }
            let words =
                "partial write: field type conflict: input field \\\"pm25\\\" on measurement "
                + "\\\"roost\\\" is type float, already exists as type integer "
                + "dropped=\(lines.count - good.count)"
            let key = status == 400 ? "error" : "message"
            return OutboundAnswer(
                status,
                ["content-type": "application/json"],
                text: "{\"\(key)\":\"\(words)\"}"
            )
        }
    }

    @Test(arguments: [400, 422])
    func learnsWhichFieldIsRefused(status: Int) throws {
        try simulate { clock in
            let (life, server) = (OutboxLife(clock), Conflict(status))
            life.internet.add(server, at: OutboxLife.host)
            life.ring.add(StreamID(2), device: "both", [.pm25, .pm10])
            @Sendable func record() {
                life.record()
                let value = Outcome.value(FixedPoint(123, decimals: 1))
                life.ring.record(StreamID(2), Tick(clock.now), [value, value])
            }
            for _ in 0..<1_000 {
                record()
                try await clock.sleep(for: .seconds(1))
            }
            var target = OutboxLife.influx()
            target.clock = clock
            let task = life.task(target)
            try await life.run(task) {
                for _ in 0..<50 {
                    record()
                    try await clock.sleep(for: .seconds(1))
                }
                try await life.demandSum(task)
                // Both lanes for a thousand, then one request each second.
                #expect(life.internet.exchangeCount <= 75, "\(life.internet.exchangeCount)")
                #expect(server.lines.count == 1_050, "each pm10 of the device with both")
                let standing = await task.standing
                #expect(standing.delivery.refusals.map(\.name) == ["channel pm25"], "\(standing)")
                #expect(
                    standing.delivery.refusals.first?.reason?.words.contains("type integer") == true
                )
                let said = life.notices.all.filter { notice in
                    if case .refused(.channel("pm25"), _, _) = notice { true } else { false }
                }
                #expect(said.count == 1, "\(life.notices.all)")
                let each = life.notices.all.filter { notice in
                    if case .refused(.sample, _, _) = notice { true } else { false }
                }
                #expect(each.isEmpty, "no notice for each sample: \(each)")
                var totals = standing.totals
                #expect(totals.delivered == 1_050 && totals.leftOut == [.refused: 1_050])
                // Once the owner has repaired it, the field is sent again within about an hour.
                server.mend()
                for _ in 0..<70 {
                    record()
                    try await clock.sleep(for: .seconds(60))
                }
                let newest = server.lines.filter { $0.value.contains("pm25=") }
                #expect((8...25).contains(newest.count / 2), "\(newest.count)")
                #expect(await task.standing.delivery.refusals.isEmpty)
                totals = await task.standing.totals
                #expect(totals.leftOut[.refused] ?? 0 <= 1_050 + 61, "\(totals)")
            }
        }
    }
}
