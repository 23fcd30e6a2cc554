/// The state of the live picture of `roost-eyes`.
package struct LivePictureReport: Codable, Hashable, Sendable {
    package enum State: String, Codable, Sendable, CaseIterable {
        /// Nothing runs; the first viewer starts it.
        case ready
        /// The program was started and has sent no picture yet, or waits for the camera.
        case starting
        case running
        /// The time is masked, or there are masks and the clock is not trusted.
        case masked
        /// The machine is too hot.
        case hot
        /// Too little memory is free.
        case memory
        /// The program failed, ended or sends no picture.
        case gone
    }

    package let state: State
    /// Reason for the refusal or failure; nil for `ready`, `starting` and `running`.
    package let why: String?
    package var width: Int?
    package var height: Int?
    package var framesPerSecond: Int?

    package init(_ state: State, why: String? = nil) { (self.state, self.why) = (state, why) }
}
