/// How the air is, in the three steps that a traffic light can show.
///
/// There is no case for *unknown*: absence is nil, so that it cannot be compared with a level.
package enum AirLevel: Int, Comparable, Sendable, CaseIterable {
    case good, moderate, poor

    package static func < (left: AirLevel, right: AirLevel) -> Bool {
        left.rawValue < right.rawValue
    }

    package var name: String { String(describing: self) }
}
