import ControlProtocol

/// How the record of an update follows the one before: what the other root holds, and which stores
/// that version can read, is known until it is written over.
package enum UpdateHistory {
    /// An update that begins.
    ///
    /// - Parameters:
    ///   - last: What became of the update before.
    /// - Returns: Its record; one that is refused leaves the other root as it is.
    package static func beginning(after last: UpdateRecord?, at version: String) -> UpdateRecord {
        var record = UpdateRecord(state: .writing)
        (record.from, record.fromSchema) = (last?.from ?? version, last?.fromSchema)
        // An update that still waits is compared with the station as it was before.
        record.before = last?.before
        record.percent = 0
        return record
    }

    /// The record of the version that is or was on trial.
    ///
    /// - Parameter last: What became of the last update: a file that was refused while another
    ///   update waited says nothing of that one.
    /// - Returns: The record.
    package static func trial(_ last: UpdateRecord?) -> UpdateRecord {
        var record = last ?? UpdateRecord(state: .waiting)
        switch record.state {
        case .refused, .failed, .writing:
            record.state = .waiting
            (record.version, record.build, record.keyID) = (nil, nil, nil)
            (record.code, record.why, record.percent) = (nil, nil, nil)
        case .waiting, .good, .fellBack, .takenBack: break
        }
        return record
    }

    /// The version of the other root, which is to be tried in place of the one that runs.
    ///
    /// - Parameters:
    ///   - record: What became of the last update.
    ///   - schema: Steps of the store's schema that it knows.
    /// - Returns: The record of going back.
    package static func goingBack(
        _ record: UpdateRecord?,
        at version: String,
        schema: Int
    ) -> UpdateRecord {
        var next = UpdateRecord(state: .takenBack)
        // After an update is taken back before it ran, the other root holds the update itself.
        next.version = [record?.from, record?.version].compactMap(\.self).first { $0 != version }
        (next.from, next.fromSchema) = (version, schema)
        return next
    }
}
