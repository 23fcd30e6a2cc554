import ControlProtocol

/// Decides which motion gets a picture, and what the station should record of the camera.
///
/// Pure. Each motion is in one of the counts: it waits, has a picture, was masked or was left out.
/// Bound: `waitingMax` motions wait for the camera; one more is left out.
package struct MotionMachine: Sendable {
    package static let waitingMax = 4

    package enum Admission: Hashable, Sendable {
        /// A picture is to be taken; a call of `taken` or `failed` follows.
        case capture
        case masked
        case leftOut(Report)
    }

    /// Consequences of a motion without a picture.
    package struct Report: Hashable, Sendable {
        package let why: String
        /// Whether it deserves a line in the log: the reason has changed.
        package let isNew: Bool
        /// The event to record at the station; nil if the camera already failed before.
        package let news: News?
    }

    /// The events of the camera that the station should record.
    package enum News: Hashable, Sendable {
        case fails(why: String)
        case works(leftOut: Int)
    }

    package private(set) var waiting = 0
    package private(set) var taken = 0
    package private(set) var leftOut = 0
    package private(set) var masked = 0
    /// Why the last motion has no picture; nil once a picture was taken again.
    package private(set) var trouble: String?
    package private(set) var lacks = MissedPictures()
    /// Motions without a picture since the last one that has one.
    private var leftOutInARow = 0

    package init() {}

    /// Admits a motion to the camera, or refuses it.
    package mutating func admit(_ motion: SeenMotion, isMasked: Bool) -> Admission {
        guard !isMasked else {
            masked += 1
            lacks.add(motion, .masked)
            return .masked
        }
        guard waiting < Self.waitingMax else {
            lacks.add(motion, .busy)
            return .leftOut(leaveOut("the camera is too slow: \(Self.waitingMax) wait"))
        }
        waiting += 1
        return .capture
    }

    /// Records that a waiting motion got its picture.
    package mutating func succeed() -> News? {
        waiting -= 1
        taken += 1
        return recover()
    }

    /// Records that a motion gets no picture as a masked time began before it was stored.
    package mutating func mask(_ motion: SeenMotion) {
        waiting -= 1
        masked += 1
        lacks.add(motion, .masked)
    }

    /// Records that a waiting motion got no picture.
    ///
    /// - Parameters:
    ///   - why: For the log and the page of records.
    /// - Returns: What follows.
    package mutating func fail(
        _ motion: SeenMotion,
        _ why: String
    ) -> Report {
        waiting -= 1
        lacks.add(motion, .failed, why)
        return leaveOut(why)
    }

    /// Records whether the camera is plugged in.
    ///
    /// - Parameters:
    ///   - isThere: Whether it is plugged in.
    ///   - absence: What is said while it is not.
    /// - Returns: What the station should record, if that is news.
    package mutating func look(isThere: Bool, absence: String) -> News? {
        guard !isThere else { return trouble == absence ? recover() : nil }
        guard trouble == nil else { return nil }
        trouble = absence
        return .fails(why: absence)
    }

    private mutating func recover() -> News? {
        defer { (trouble, leftOutInARow) = (nil, 0) }
        return trouble.map { _ in .works(leftOut: leftOutInARow) }
    }

    private mutating func leaveOut(_ why: String) -> Report {
        defer { trouble = why }
        leftOut += 1
        leftOutInARow += 1
        return Report(
            why: why,
            isNew: trouble != why,
            news: trouble == nil ? .fails(why: why) : nil
        )
    }
}
