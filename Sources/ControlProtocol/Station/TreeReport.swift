/// One child of the supervision tree, with its children.
package struct TreeReport: Codable, Hashable, Sendable {
    package let id: String
    /// For example `running`, `waiting` or `stopping`.
    package let state: String
    /// Seconds since this object started; nil while it is not running.
    package let upSeconds: Double?
    package let restartCount: Int
    /// Why it ended last, as text.
    package let lastExit: String?
    /// Seconds since its last beat; nil when it is not watched.
    package let lastBeatSeconds: Double?
    /// Seconds until it promised to beat again; negative when late, nil when it promised nothing.
    package let nextBeatInSeconds: Double?
    package let children: [TreeReport]

    package init(
        id: String,
        state: String,
        upSeconds: Double?,
        restartCount: Int,
        lastExit: String?,
        lastBeatSeconds: Double?,
        nextBeatInSeconds: Double?,
        children: [TreeReport]
    ) {
        self.id = id
        self.state = state
        self.upSeconds = upSeconds
        self.restartCount = restartCount
        self.lastExit = lastExit
        self.lastBeatSeconds = lastBeatSeconds
        self.nextBeatInSeconds = nextBeatInSeconds
        self.children = children
    }
}
