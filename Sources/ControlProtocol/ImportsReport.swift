/// A value of another program's series, as `imports` takes it.
package struct ImportRow: Codable, Hashable, Sendable {
    /// Rows of one request at most.
    package static let countMax = 500

    /// Who measured it, 1…64 bytes: `data.gov.sg`.
    package let source: String
    /// Which of its series, 1…64 bytes: `west/pm25`; the part behind the last `/` is the quantity.
    package let series: String
    /// One of `MeasureUnit.known`: `µg/m³`; empty for an index, which is a whole number.
    package let unit: String
    /// When it counts for, ISO 8601: `2026-11-23T09:00:00Z`.
    package let time: String
    /// Nil says that the source had no value then.
    package let value: Double?

    package init(source: String, series: String, unit: String, time: String, value: Double?) {
        (self.source, self.series, self.unit) = (source, series, unit)
        (self.time, self.value) = (time, value)
    }
}

/// What became of the rows of an `imports` request; their sum is the number of rows.
package struct ImportsReport: Codable, Hashable, Sendable {
    /// A row that was not taken.
    package struct Refusal: Codable, Hashable, Sendable {
        /// Which, from 0.
        package let row: Int
        /// `time`, `unit`, `value`, `name`, `older`, `no-place`.
        package let code: String
        package let message: String

        package init(row: Int, code: String, message: String) {
            (self.row, self.code, self.message) = (row, code, message)
        }
    }

    /// New ones.
    package let written: Int
    /// Known with the same value.
    package let same: Int
    /// Known with another value; the new one counts from now on, and the other stays beside it.
    package let revised: Int
    package let refused: Int
    /// Why, of the first 20 that were refused.
    package let refusals: [Refusal]

    package init(written: Int, same: Int, revised: Int, refusals: [Refusal]) {
        (self.written, self.same, self.revised) = (written, same, revised)
        refused = refusals.count
        self.refusals = Array(refusals.prefix(20))
    }
}

/// What `cameraOn` did.
package struct CameraOnReport: Codable, Hashable, Sendable {
    /// Seconds that the camera may be on without saying so again.
    package static let secondsMax = 60.0

    /// Lamps that show it.
    package let lampCount: Int

    package init(lampCount: Int) { self.lampCount = lampCount }
}

/// What `courierEvent` or `cameraEvent` did.
package struct CourierEventReport: Codable, Hashable, Sendable {
    /// Events of a courier, or of a camera, in an hour at most; further ones are counted.
    package static let countPerHour = 60

    /// False when the hour is full; the event is then counted and not kept.
    package let isKept: Bool
    /// Events left out in the present hour.
    package let omittedCount: Int

    package init(isKept: Bool, omittedCount: Int) {
        (self.isKept, self.omittedCount) = (isKept, omittedCount)
    }
}
