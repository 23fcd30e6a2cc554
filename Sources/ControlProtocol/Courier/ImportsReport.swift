/// A value of another program's series in an `imports` request.
package struct ImportRow: Codable, Hashable, Sendable {
    /// Rows of one request at most.
    package static let countMax = 500

    /// Name of the source, 1…64 bytes: `data.gov.sg`.
    package let source: String
    /// Name of the series, 1…64 bytes: `west/pm25`; the part behind the last `/` is the quantity.
    package let series: String
    /// One of `MeasureUnit.known`: `µg/m³`; empty for an index, which is a whole number.
    package let unit: String
    /// Time of the value, ISO 8601: `2026-11-23T09:00:00Z`.
    package let time: String
    /// Value; nil where the source had none at that time.
    package let value: Double?

    package init(source: String, series: String, unit: String, time: String, value: Double?) {
        (self.source, self.series, self.unit) = (source, series, unit)
        (self.time, self.value) = (time, value)
    }
}

/// Counts of the rows of an `imports` request by outcome; their sum is the number of rows.
package struct ImportsReport: Codable, Hashable, Sendable {
    /// A row that was refused.
    package struct Refusal: Codable, Hashable, Sendable {
        /// Index of the row in the request, from 0.
        package let row: Int
        /// `time`, `unit`, `value`, `name`, `older`, `no-place`.
        package let code: String
        package let message: String

        package init(row: Int, code: String, message: String) {
            (self.row, self.code, self.message) = (row, code, message)
        }
    }

    /// Rows that were new.
    package let written: Int
    /// Rows that were known with the same value.
    package let same: Int
    /// Rows known with another value; the new one counts from now on, the other is kept beside it.
    package let revised: Int
    package let refused: Int
    /// The reasons for the first 20 refused rows.
    package let refusals: [Refusal]

    package init(written: Int, same: Int, revised: Int, refusals: [Refusal]) {
        (self.written, self.same, self.revised) = (written, same, revised)
        refused = refusals.count
        self.refusals = Array(refusals.prefix(20))
    }
}

/// The answer to `cameraOn`.
package struct CameraOnReport: Codable, Hashable, Sendable {
    /// Seconds after which `cameraOn` has to be sent again.
    package static let secondsMax = 60.0

    /// Number of lamps that show that the camera is on.
    package let lampCount: Int

    package init(lampCount: Int) { self.lampCount = lampCount }
}

/// The answer to `courierEvent` or `cameraEvent`.
package struct CourierEventReport: Codable, Hashable, Sendable {
    /// Events of a courier or a camera recorded in an hour, at most; further ones are counted.
    package static let countPerHour = 60

    /// Whether the event was recorded; false when the hour's limit is reached.
    package let isKept: Bool
    /// Events left out in the present hour.
    package let omittedCount: Int

    package init(isKept: Bool, omittedCount: Int) {
        (self.isKept, self.omittedCount) = (isKept, omittedCount)
    }
}
