import Core
import Store
import StoreQueries

/// Drives of the station's history: its surveys with samples of a radiation counter.
struct StoreDriveSource: DriveSource {
    private let history: any HistoryAccess
    private let choice: DriveLog.Choice

    /// - Parameters:
    ///   - choice: Rule that selects the samples of a drive.
    init(_ history: any HistoryAccess, _ choice: DriveLog.Choice) {
        (self.history, self.choice) = (history, choice)
    }

    func drives(after place: OutboxPosition?) async throws -> [PlannedDrive] {
        try await history.read { [choice] reader, times in
            let numbers = try Self.numbers(reader)
            var found: [PlannedDrive] = []
            for survey in try StoredSurvey.all(reader, times) where survey.to != nil {
                guard let number = numbers[survey.boot] else { continue }
                let begun = OutboxPosition(
                    boot: survey.boot,
                    bootNumber: number,
                    tick: survey.from
                )
                if let place, begun <= place { continue }
                var drive = PlannedDrive(
                    name: survey.name,
                    at: begun,
                    samples: try DriveLog.count(in: survey, choice, reader)
                )
                drive.isPrivate = survey.isPrivate
                if let from = survey.range.from, let to = survey.range.to {
                    drive.dates = DriveDates(from: from, to: to)
                }
                drive.dating = Self.dating(survey, times)
                drive.hasOldest = try DriveLog.hasOldest(in: survey, choice, reader)
                found.append(drive)
            }
            return found
        }
    }

    func file(of drive: PlannedDrive, _ dates: DriveDates) async throws -> DriveMade {
        try await history.read { [choice] reader, times in
            let survey = try StoredSurvey.all(reader, times).last { survey in
                survey.boot == drive.place.boot && survey.from == drive.place.tick
            }
            guard let survey, !survey.isPrivate,
                var log = try DriveLog(of: survey, choice, reader, times)
            else { return .empty }
            log.dates = (dates.from, dates.to)
            guard let bytes = try log.bytes(limit: DriveFile.byteLimit) else { return .tooLong }
            guard log.lineCount > 0 else { return .empty }
            let stamp = dates.from.iso8601.filter { $0 != "-" && $0 != ":" }
            let name = "roost-\(stamp).LOG"
            return .file(DriveFile(name: name, bytes: bytes, lines: log.lineCount))
        }
    }

    func number(of boot: BootID) async throws -> Int? {
        try await history.read { reader, _ in try Self.numbers(reader)[boot] }
    }

    private static func numbers(_ reader: HistoryReader) throws -> [BootID: Int] {
        let boots = try reader.boots().map { ($0.id, Int($0.ordinal)) }
        return Dictionary(boots) { first, _ in first }
    }

    private static func dating(_ survey: StoredSurvey, _ times: StoreTimes) -> PlannedDrive.Dating {
        if times.clock.time(survey.boot, survey.from)?.isSure == true { return .known }
        let isPresent = times.runs.last.map { $0.boot == survey.boot && $0.end == .running }
        return isPresent == true ? .waits : .never
    }
}
