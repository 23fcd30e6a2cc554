import Core
import StoreQueries

/// A target of drives, with the options that say which drives it gets.
package struct DriveWork: Sendable {
    package let target: any DriveTarget
    /// Rule that selects the samples of a drive.
    package var choice: DriveLog.Choice
    /// Whether surveys that ended before the target was added are sent.
    package var hasBacklog = true
    /// A drive that ended longer ago is left out.
    package var ageLimit: Duration?
    /// Shortest time between two requests.
    package var pace: Duration = .seconds(1)

    package init(_ target: any DriveTarget, _ choice: DriveLog.Choice) {
        (self.target, self.choice) = (target, choice)
    }
}
