/// Counts and progress of drives (surveys on the move) at one target.
package struct OutboxDrives: Codable, Hashable, Sendable {
    /// The next step of the drive under way.
    package enum Step: String, Codable, Hashable, Sendable, CaseIterable {
        /// Its log has to arrive.
        case upload
        /// Name, credits and cities have to arrive.
        case describe
        /// The receiver reads the log.
        case read
        /// It has to be submitted to moderators.
        case submit
    }

    package struct Present: Codable, Hashable, Sendable {
        /// Name of the survey.
        package let name: String
        package let step: Step
        /// The receiver's id of the drive; nil before its log arrived.
        package let importID: Int?

        package init(name: String, step: Step, importID: Int?) {
            (self.name, self.step, self.importID) = (name, step, importID)
        }
    }

    /// Drives submitted.
    package let delivered: Int
    /// Drives whose surveys are over and that are not yet delivered.
    package let waiting: Int
    package let leftOut: Int
    /// The drive under way; nil when there is none.
    package let present: Present?

    package init(delivered: Int, waiting: Int, leftOut: Int, present: Present?) {
        (self.delivered, self.waiting) = (delivered, waiting)
        (self.leftOut, self.present) = (leftOut, present)
    }
}
