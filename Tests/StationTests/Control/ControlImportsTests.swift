import ControlProtocol
import Core
import HardwareIO
import TestSupport
import Testing

@testable import SimulationKit
@testable import Station

@Suite struct ControlImportsTests {
    private static func text(_ folder: TestFolder) -> String {
        """
        {"name": "test", "mode": "live", "devices": [],
         "store": {"folder": "\(folder.path)", "megabytes": 4, "journalBlocks": 64}}
        """
    }

    private static func row(
        _ series: String = "west/pm25",
        _ time: String = "2026-09-28T07:00:00Z",
        _ value: Double? = 12.3,
        unit: String = "µg/m³",
        source: String = "data.gov.sg"
    ) -> ImportRow {
        ImportRow(source: source, series: series, unit: unit, time: time, value: value)
    }

    private static func ask(_ test: TestStation, _ rows: [ImportRow]) async throws -> ImportsReport
    {
        let connection = test.platform.socket.connect()
        defer { connection.close() }
        try connection.send(ControlCodec.line(AskedQuestion(ImportValues(rows))))
        let line = try #require(await connection.nextLine())
        let answer = try ControlCodec.message(ControlAnswer<ImportsReport>.self, from: line)
        if let error = answer.error { throw error }
        return try #require(answer.body)
    }

    @Test func keepsEachValueOnceOverRestarts() throws {
        let folder = try TestFolder(isInMemory: true)
        let rows = (10..<20).map { Self.row("west/pm25", "2026-09-28T\($0):00:00Z") }
        for expected in [(10, 0), (0, 10), (0, 10)] {
            let report = try simulate { clock in
                let test = try TestStation(clock, Self.text(folder))
                return try await test.run { test in
                    try await test.sleep(.seconds(10))
                    return try await Self.ask(test, rows)
                }
            }
            #expect(report.written == expected.0 && report.same == expected.1)
        }
    }

    @Test func namesEachRowThatIsWrongAndTakesTheOthers() throws {
        let folder = try TestFolder(isInMemory: true)
        let wrong = [
            Self.row("a/b/c"), Self.row("/pm25"), Self.row(""), Self.row("west/pm25\n"),
            Self.row(String(repeating: "x", count: 65)), Self.row(source: ""),
            Self.row(unit: "bananas"), Self.row("west/pm25", "yesterday"),
            Self.row("west/pm25", "2226-09-28T07:00:00Z"), Self.row("west/pm25", "", nil),
            Self.row("west/pm25", "2026-09-28T07:00:00Z", 1e300),
        ]
        let codes = [
            "name", "name", "name", "name", "name", "name", "unit", "time", "time", "time",
            "value",
        ]
        let right = [Self.row(), Self.row("west/psi-24h", unit: ""), Self.row("x/pm25", value(1))]
        let none = Self.row("west/pm25", "2026-09-28T08:00:00Z", nil)
        let report = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder))
            return try await test.run { test in
                try await test.sleep(.seconds(10))
                return try await Self.ask(test, wrong + right + [none])
            }
        }
        #expect(report.refusals.map(\.code) == codes)
        #expect(report.refusals[6].message.contains("profile.schema.json lists them"))
        #expect(report.refusals.map(\.row) == Array(wrong.indices))
        #expect(report.written == 3 && report.same == 1 && report.refused == wrong.count)
    }

    private static func value(_ hour: Int) -> String { "2026-09-28T0\(hour):30:00Z" }
    private func value(_ hour: Int) -> String { Self.value(hour) }

    @Test func takesSoManyAnHourAndSaysWhenTheNext() throws {
        let folder = try TestFolder(isInMemory: true)
        let failure = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder))
            return try await test.run { test -> ControlFailure? in
                try await test.sleep(.seconds(10))
                var taken = 0
                for batch in 0..<10 {
                    let rows = (0..<ImportRow.countMax).map { index in
                        Self.row("s\(batch)/pm25", Self.time(index))
                    }
                    do {
                        taken += try await Self.ask(test, rows).written
                    } catch let failure as ControlFailure {
                        #expect(taken == ControlImports.countPerHour)
                        try await test.sleep(.minutes(60))
                        #expect(try await Self.ask(test, rows).written == rows.count)
                        return failure
                    }
                }
                return nil
            }
        }
        #expect(failure?.code == .busy)
        #expect(failure?.message.contains("an hour") == true)
    }

    private static func time(_ minute: Int) -> String {
        let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
        return "2026-09-2\(hour / 24 + 1)T\(hour % 24 < 10 ? "0" : "")\(hour % 24):"
            + "\(rest < 10 ? "0" : "")\(rest):00Z"
    }
}
