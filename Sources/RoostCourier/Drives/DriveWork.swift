import Core
import StoreQueries

/// What one target of drives is sent.
package struct DriveWork: Sendable {
    package let target: any DriveTarget
    /// Which samples make a drive.
    package var choice: DriveLog.Choice
    /// Whether surveys that ended before the target was added are sent.
    package var hasBacklog = true
    /// A drive that ended longer ago is left out.
    package var ageLimit: Duration?
    /// Between two requests.
    package var pace: Duration = .seconds(1)

    package init(_ target: any DriveTarget, _ choice: DriveLog.Choice) {
        (self.target, self.choice) = (target, choice)
    }
}
