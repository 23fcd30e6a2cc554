/// Names a stream within one store; never given to another.
package struct StreamID: Hashable, Comparable, Sendable {
    package let rawValue: UInt16

    package init(_ rawValue: UInt16) { self.rawValue = rawValue }

    package static func < (left: StreamID, right: StreamID) -> Bool {
        left.rawValue < right.rawValue
    }
}
