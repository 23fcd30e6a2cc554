import ControlProtocol
import Core
import HardwareIO
import TestSupport
import Testing

@testable import SimulationKit
@testable import Station
@testable import Store

/// A file of another program that is sent in pieces, looked at, and imported while a station runs.
@Suite struct ControlFileImportTests {
    private static func text(_ folder: TestFolder) -> String {
        """
        {"name": "test", "mode": "live", "detect": false,
         "devices": [{"name": "dust", "type": "sds011", "port": "/dev/ttyUSB0"}],
         "store": {"folder": "\(folder.path)", "megabytes": 4, "journalBlocks": 64}}
        """
    }

    /// So many rows of an archive, one each minute, and one that cannot be read.
    private static func archive(_ count: Int) -> String {
        let rows = (0..<count).map { index in
            let (hour, minute) = (index / 60 % 24, index % 60)
            let time =
                "2017-09-02T\(hour < 10 ? "0" : "")\(hour):"
                + "\(minute < 10 ? "0" : "")\(minute):49"
            return "5331;\(time);12.\(index % 10);6.1"
        }
        return (["sensor_id;timestamp;P1;P2"] + rows + ["5331;yesterday;1;2"])
            .joined(separator: "\r\n")
    }

    /// More than a quarter of a history of 4 MiB, and more than one question goes on with.
    private static func years() -> String {
        let many = (0..<60_000).map { index in
            let wall = WallTime(iso8601: "2019-01-01T00:00:00Z")?
                .advanced(by: .seconds(index * 60))
            let time = wall?.iso8601.prefix(19) ?? ""
            return "5331;\(time);\(index % 97).\(index % 10);\(index % 53)"
        }
        return (["sensor_id;timestamp;P1;P2"] + many).joined(separator: "\n")
    }

    private static func send(
        _ text: String,
        _ test: TestStation,
        piece: Int = 1_000
    ) async throws -> ControlFailure? {
        var (rest, at) = (Array(text.utf8)[...], 0)
        while !rest.isEmpty {
            let bytes = rest.prefix(piece)
            let answer = try await test.ask(SendImport(bytes, at: at))
            if let error = answer.error { return error }
            at += bytes.count
            #expect(answer.body?.byteCount == at)
            rest = rest.dropFirst(bytes.count)
        }
        return nil
    }

    private static func wish(
        _ text: String,
        isTrial: Bool,
        _ change: (inout ImportSentFile) -> Void = { _ in }
    ) -> ImportSentFile {
        var wish = ImportSentFile(byteCount: text.utf8.count, isTrial: isTrial)
        change(&wish)
        return wish
    }

    /// Asks until the station is done.
    private static func done(
        _ wish: ImportSentFile,
        _ test: TestStation
    ) async throws -> ImportedFileReport? {
        for _ in 0..<100 {
            let answer = try await test.ask(wish)
            guard let body = answer.body else { return nil }
            if body.part == nil { return body }
        }
        return nil
    }

    private static func imported(_ folder: TestFolder) throws -> [String] {
        try HistoryReader(path: folder.path("history.db")).streams()
            .filter(\.id.isImported).map(\.device)
    }

    @Test func looksImportsAndKnowsItAgain() throws {
        let folder = try TestFolder(isInMemory: true)
        let text = Self.archive(200)
        let (reports, pause, left) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder))
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                var reports: [ImportedFileReport?] = []
                for isTrial in [true, false] {
                    #expect(try await Self.send(text, test) == nil)
                    reports.append(try await Self.done(Self.wish(text, isTrial: isTrial), test))
                }
                #expect(try await Self.send(text, test) == nil)
                reports.append(try await Self.done(Self.wish(text, isTrial: true), test))
                try await test.sleep(.minutes(1))
                let times = test.readings().filter { $0.channel.description == "dust/pm25" }
                    .map(\.instant).filter { $0 > .boot.advanced(by: .seconds(50)) }
                let pauses = zip(times, times.dropFirst()).map { $0.duration(to: $1).inSeconds }
                let events = test.events.filter { $0.kind == .plain(.fileImported) }
                #expect(events.isEmpty, "a simulation's requests are not recorded")
                return (reports, pauses.max() ?? .infinity, test.platform.arrival.byteCount)
            }
        }
        let trial = try #require(reports[0])
        #expect(trial.isTrial && trial.kind == "sensor-community" && trial.refusal == nil)
        #expect((trial.rows, trial.badRows, trial.samples, trial.known) == (201, 1, 200, 0))
        #expect(trial.problems.count == 1 && trial.devices == ["sensor-community:5331"])
        #expect(trial.from == "2017-09-02T00:00:49Z")
        #expect(reports[1]?.samples == 200 && reports[1]?.isTrial == false)
        #expect(reports[2].map { [$0.samples, $0.known] } == [0, 200])
        #expect(pause < 3 && left > 0, "the file of the last trial waits")
        #expect(try Self.imported(folder) == ["sensor-community:5331"])
    }

    @Test func whatBrokeOffOrIsUnknownLeavesNothing() throws {
        let folder = try TestFolder(isInMemory: true)
        let (text, periods) = (Self.archive(50), "PM2.5,12.3,Sat Sep  2 00:00:49 2017\r\n")
        let errors = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder))
            return try await test.run { test in
                try await test.sleep(.seconds(20))
                var errors: [ControlFailure?] = []
                func ask(_ wish: ImportSentFile) async throws {
                    errors.append(try await test.ask(wish).error)
                }
                try await ask(Self.wish(text, isTrial: false))
                #expect(try await Self.send(String(text.prefix(500)), test) == nil)
                try await ask(Self.wish(text, isTrial: false))
                errors.append(try await test.ask(SendImport([1], at: 7)).error)
                #expect(try await Self.send("what is this", test) == nil)
                try await ask(Self.wish("what is this", isTrial: false))
                #expect(try await Self.send(periods, test) == nil)
                try await ask(Self.wish(periods, isTrial: true))
                try await ask(Self.wish(periods, isTrial: true) { $0.kind = "bananas" })
                try await ask(Self.wish(periods, isTrial: true) { $0.source = "a b" })
                test.platform.arrival.refuse(with: .full(path: "import.part"))
                errors.append(try await Self.send(text, test))
                test.platform.arrival.refuse(with: nil)
                let limit = SendImport.byteCountMax
                errors.append(try await test.ask(SendImport([1], at: limit)).error)
                return errors
            }
        }
        let codes: [RefusalCode?] = [
            .conflict, .conflict, .conflict, .badRequest, .badRequest, .badRequest, .badRequest,
            .store, .tooLarge,
        ]
        #expect(errors.map { $0?.code } == codes)
        let pointers = [
            "/file", "/file", "/at", "/kind", "/source", "/kind", "/source", nil, "/at",
        ]
        #expect(errors.map { $0?.pointer } == pointers)
        #expect(try Self.imported(folder).isEmpty)
    }

    /// A foreign file has no row of its kind, and one that needs much room has to be meant.
    @Test func muchRoomHasToBeMeant() throws {
        let folder = try TestFolder(isInMemory: true)
        let foreign = "PM2.5,a lot,today\r\nPM10,more,tomorrow\r\n"
        let text = Self.years()
        let (reports, isKept) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder))
            return try await test.run { test in
                try await test.sleep(.seconds(20))
                var reports: [ImportedFileReport?] = []
                #expect(try await Self.send(foreign, test) == nil)
                let asked = Self.wish(foreign, isTrial: false) { $0.source = "attic" }
                reports.append(try await Self.done(asked, test))
                #expect(try await Self.send(text, test, piece: 45_000) == nil)
                reports.append(try await Self.done(Self.wish(text, isTrial: false), test))
                let isKept = test.platform.arrival.byteCount == text.utf8.count
                let bold = Self.wish(text, isTrial: false) { $0.isBold = true }
                reports.append(try await Self.done(bold, test))
                return (reports, isKept)
            }
        }
        #expect(reports[0]?.isForeign == true && reports[0]?.samples == 0)
        #expect(reports[1]?.refusal == "needsConsent" && isKept)
        #expect(reports[2]?.refusal == nil && reports[2]?.samples == 60_000)
        #expect(try Self.imported(folder) == ["sensor-community:5331"])
    }

    private static func count(_ folder: TestFolder) throws -> Int {
        let reader = try HistoryReader(path: folder.path("history.db"))
        var count = 0
        for stream in try reader.streams() where stream.id.isImported {
            let spans = try StreamExtents(reader).spans(of: stream.id)
            let all = try RawSamples(reader, stream.id, spans)
            while try all.next() != nil { count += 1 }
        }
        return count
    }

    /// A client that goes away in the middle, and a station that stops, leave what came in.
    ///
    /// The same file completes it, and nothing is there twice. The sensor is recorded all the time.
    @Test func aStopInTheMiddleIsCompletedByTheSameFile() throws {
        let folder = try TestFolder(isInMemory: true)
        let text = Self.years()
        let (part, pause) = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder))
            return try await test.run { test in
                try await test.sleep(.minutes(1))
                #expect(try await Self.send(text, test, piece: 45_000) == nil)
                var (part, wish) = (0.0, Self.wish(text, isTrial: false) { $0.isBold = true })
                while part < 0.7 {
                    part = try #require(try await test.ask(wish).body?.part)
                    try await test.sleep(.seconds(1))
                }
                // A question of its own begins anew: the one before is not gone on with.
                wish.isTrial = true
                #expect(try await test.ask(wish).body?.part ?? 1 < 0.7)
                let times = test.readings().filter { $0.channel.description == "dust/pm25" }
                    .map(\.instant).filter { $0 > .boot.advanced(by: .seconds(50)) }
                let pauses = zip(times, times.dropFirst()).map { $0.duration(to: $1).inSeconds }
                return (part, pauses.max() ?? .infinity)
            }
        }
        let count = try Self.count(folder)
        #expect(part < 1 && pause < 3, "\(part), \(pause) s")
        #expect(count > 0 && count < 60_000)
        let report = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder))
            return try await test.run { test in
                try await test.sleep(.seconds(20))
                #expect(try await Self.send(text, test, piece: 45_000) == nil)
                let bold = Self.wish(text, isTrial: false) { $0.isBold = true }
                return try await Self.done(bold, test)
            }
        }
        #expect(report.map { [$0.samples, $0.known] } == [60_000 - count, count])
        #expect(try Self.count(folder) == 60_000)
    }

    @Test func eachHostileFileIsNamed() throws {
        let folder = try TestFolder(isInMemory: true)
        let zip = "PK\u{03}\u{04}\u{14}" + String(repeating: "\u{01}", count: 40)
        let reasons = try simulate { clock in
            let test = try TestStation(clock, Self.text(folder))
            return try await test.run { test in
                try await test.sleep(.seconds(20))
                var reasons: [RefusalReason?] = []
                for content in [zip, "<html>", "PM2.5,1,Sat Sep  2 00:00:49 2017\n"] {
                    #expect(try await Self.send(content, test) == nil)
                    let wish = Self.wish(content, isTrial: false)
                    reasons.append(try await test.ask(wish).error?.reason)
                }
                reasons.append(try await test.ask(Self.wish("", isTrial: true)).error?.reason)
                let named = Self.wish("PM2.5,", isTrial: true) { $0.source = "../../etc" }
                #expect(try await test.ask(named).error?.pointer == "/source")
                test.platform.arrival.refuse(with: .full(path: "import.part"))
                reasons.append(try await Self.send(zip, test)?.reason)
                return reasons
            }
        }
        #expect(
            reasons == [
                .importUnknown, .importUnknown, .importNameless, .importBroken, .importRoom,
            ]
        )
        #expect(try Self.imported(folder).isEmpty)
    }
}
