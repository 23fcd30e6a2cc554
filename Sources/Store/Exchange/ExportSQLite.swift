import Core
import SQLite

/// An event with all columns of an export.
package struct DatedEvent: Hashable, Sendable {
    package let boot: BootID
    package let event: Event
    /// Wall time of the event; nil when nothing dates its boot.
    package let time: ClockAnchors.Time?

    package init(boot: BootID, event: Event, time: ClockAnchors.Time?) {
        (self.boot, self.event, self.time) = (boot, event, time)
    }
}

/// Writes samples and events into a plain SQLite database that documents its own columns.
///
/// Streams: dirty pages go to the file as they come, without journal or sync, so memory stays at
/// the page cache. Until `finish` the file is of no use; the caller makes it under another name.
package final class ExportSQLite {
    /// The schema, comments included: `.schema` of any SQLite shell shows them.
    package static let schema = """
        CREATE TABLE streams(  -- Devices; channels of one are sampled together.
            id INTEGER PRIMARY KEY,
            device TEXT NOT NULL,
            imported INTEGER NOT NULL  -- 1: from files of other programs.
        );
        CREATE TABLE channels(
            id INTEGER PRIMARY KEY,
            stream INTEGER NOT NULL REFERENCES streams(id),
            name TEXT NOT NULL,  -- pm25, pm10, temperature, …
            unit TEXT NOT NULL,
            decimals INTEGER NOT NULL  -- Digits after the point that the sensor gives.
        );
        CREATE TABLE boots(
            id INTEGER PRIMARY KEY,
            kernel_id TEXT NOT NULL  -- /proc/sys/kernel/random/boot_id without dashes.
        );
        CREATE TABLE readings(  -- One for each attempt, in the order they were taken.
            time REAL,  -- Seconds since 1970, UTC, to the tenth; NULL: nothing dates the boot.
            unsure INTEGER NOT NULL,  -- 1: no synchronised clock stands behind the time.
            channel INTEGER NOT NULL REFERENCES channels(id),
            value REAL,  -- In the channel's unit; NULL: there is none, see quality.
            quality TEXT,  -- NULL: good. Flags joined by |, or why there is no value.
            boot INTEGER NOT NULL REFERENCES boots(id),
            tick REAL  -- Seconds since boot where time is NULL.
        );
        CREATE TABLE events(
            time REAL,  -- As in readings.
            unsure INTEGER NOT NULL,
            severity TEXT NOT NULL,  -- debug, info, notice, warning, error
            source TEXT NOT NULL,
            kind TEXT NOT NULL,
            details TEXT NOT NULL,  -- A JSON object of texts.
            boot INTEGER NOT NULL REFERENCES boots(id),
            tick REAL
        );
        CREATE VIEW dated AS  -- Readings as people read them.
            SELECT strftime('%Y-%m-%dT%H:%M:%fZ', time, 'unixepoch') AS time, unsure,
                device, name AS channel, value, unit, quality
            FROM readings JOIN channels ON channels.id = channel
            JOIN streams ON streams.id = stream;
        """
    /// "RSX1": identifies the file as an export.
    static let applicationID: Int32 = 0x5253_5831
    /// KiB of the page cache.
    private static let cacheKibibytes = 2_048

    private let connection: Connection
    private let report: (ExportProgress) -> Void
    private let readings: Statement
    private var channels: [StreamID: (stream: StreamDescription, first: Int)] = [:]
    private var channelCount = 0
    private var boots: [BootID: Int] = [:]
    private var qualities: [Quality: String] = [:]
    private var progress = ExportProgress()

    /// Makes the database and begins its only transaction.
    ///
    /// - Parameters:
    ///   - path: A new or an empty file.
    ///   - progress: Called after each `ExportProgress.step` samples and at the end.
    /// - Throws: `SQLiteError`.
    package init(
        _ path: String,
        progress: @escaping (ExportProgress) -> Void = { _ in }
    ) throws(SQLiteError) {
        report = progress
        connection = try Connection(path, cacheKibibytes: Self.cacheKibibytes)
        try connection.setPageSize(4_096)
        try connection.setJournalMode(.off)
        try connection.setSynchronous(.off)
        try connection.setApplicationID(Self.applicationID)
        try connection.setUserVersion(1)
        try connection.executeScript(Self.schema)
        try connection.execute("BEGIN EXCLUSIVE")
        readings = try connection.statement("INSERT INTO readings VALUES(?, ?, ?, ?, ?, ?, ?)")
    }

    /// Writes all samples of `source`.
    ///
    /// - Throws: The source's error; `SQLiteError`.
    package func write(_ source: inout some SampleSource) throws {
        while let sample = try source.next() {
            progress.samples += 1
            try put(sample)
            if progress.samples % ExportProgress.step == 0 {
                progress.bytes = try byteCount()
                report(progress)
            }
        }
    }

    package func write(_ event: DatedEvent) throws(SQLiteError) {
        let details = event.event.details.map { detail in
            "\(JSONText.string(detail.key)):\(JSONText.string(detail.value))"
        }
        let seconds = Self.seconds(event.time)
        let tick = Double(Tick(event.event.instant).tenths) / 10
        try connection.execute(
            "INSERT INTO events VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
            seconds,
            event.time?.isSure != true,
            event.event.severity.name,
            event.event.source,
            event.event.kind.name,
            "{\(details.joined(separator: ","))}",
            try boot(event.boot),
            seconds == nil ? tick : nil
        )
        progress.rows += 1
    }

    /// Ends the transaction and closes the file; the caller syncs it.
    package func finish() throws(SQLiteError) -> ExportProgress {
        readings.reset()
        try connection.execute("COMMIT")
        progress.bytes = try byteCount()
        report(progress)
        return progress
    }

    private func put(_ sample: DatedSample) throws(SQLiteError) {
        let first = try firstChannel(of: sample.stream)
        let boot = try boot(sample.boot)
        let seconds = sample.wall.map { Double($0.tenths) / 10 }
        let tick = seconds == nil ? Double(sample.tick.tenths) / 10 : nil
        let count = min(sample.outcomes.count, sample.stream.quantities.count)
        for number in 0..<count {
            let outcome = sample.outcomes[number]
            try readings.bind(
                seconds,
                !sample.isSure,
                first + number,
                outcome.value?.doubleValue,
                text(outcome),
                boot,
                tick
            )
            _ = try readings.step()
            progress.rows += 1
        }
    }

    private func text(_ outcome: Outcome) -> String? {
        switch outcome {
        case .noData(let reason): return reason.rawValue
        case .value(_, let quality):
            if quality.isEmpty { return nil }
            if let known = qualities[quality] { return known }
            let words = quality.names.joined(separator: "|")
            qualities[quality] = words
            return words
        }
    }

    /// The row of a stream's first channel; the others follow.
    private func firstChannel(of stream: StreamDescription) throws(SQLiteError) -> Int {
        if let known = channels[stream.id] { return known.first }
        let id = Int(stream.id.rawValue)
        try connection.execute(
            "INSERT INTO streams VALUES(?, ?, ?)",
            id,
            stream.device,
            stream.id.isImported
        )
        let first = channelCount + 1
        for quantity in stream.quantities {
            channelCount += 1
            try connection.execute(
                "INSERT INTO channels VALUES(?, ?, ?, ?, ?)",
                channelCount,
                id,
                quantity.name,
                quantity.unit,
                quantity.decimals
            )
        }
        channels[stream.id] = (stream, first)
        return first
    }

    private func boot(_ boot: BootID) throws(SQLiteError) -> Int {
        if let known = boots[boot] { return known }
        let number = boots.count + 1
        try connection.execute("INSERT INTO boots VALUES(?, ?)", number, boot.description)
        boots[boot] = number
        return number
    }

    private func byteCount() throws(SQLiteError) -> Int {
        try connection.pageCount() * connection.pageSize()
    }

    private static func seconds(_ time: ClockAnchors.Time?) -> Double? {
        time.map { Double($0.wall.tenths) / 10 }
    }
}
