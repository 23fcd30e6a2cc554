/// The state of the live picture of `roost-eyes`.
package struct LivePictureReport: Codable, Hashable, Sendable {
    package enum State: String, Codable, Sendable, CaseIterable {
        /// Nothing runs; the first viewer starts it.
        case ready
        /// The program was started and has sent no picture yet, or waits for the camera.
        case starting
        case running
        /// In a masked time, or with masks while the clock is not trusted.
        case masked
        /// The machine is too hot.
        case hot
        /// Too little memory is free.
        case memory
        /// The program failed, ended or sends no picture.
        case gone
    }

    package let state: State
    /// Why it is refused, or what failed; nil of `ready`, `starting` and `running`.
    package let why: String?
    package var width: Int?
    package var height: Int?
    package var framesPerSecond: Int?

    package init(_ state: State, why: String? = nil) { (self.state, self.why) = (state, why) }
}
