import Core

/// Identity of the part on a line, and whether it is the wanted one.
struct PartIdentity: Hashable, Sendable {
    /// An event that the session records.
    struct News: Hashable, Sendable {
        let kind: EventKind
        var details: [Event.Detail] = []
    }

    /// Identity that the part must have; nil accepts any part.
    let wanted: String?
    private(set) var known: String?
    /// The other part that spoke last, until the wanted one does.
    private(set) var foreign: String?
    /// Frames of other parts.
    private(set) var foreignCount = 0
    /// Whether another part has spoken since `forgetHearing`, and the wanted one has not.
    private(set) var isForeignHeard = false

    init(wanted: String?) { self.wanted = wanted }

    /// What was heard so far says nothing of what is there now.
    mutating func forgetHearing() { isForeignHeard = false }

    /// Whether a frame with this id comes from the wanted part, and the event it causes.
    mutating func admit(_ id: String?) -> (isOurs: Bool, news: News?) {
        guard let id else { return (true, nil) }
        if let wanted, wanted != id {
            foreignCount += 1
            isForeignHeard = true
            guard foreign != id else { return (false, nil) }
            foreign = id
            return (false, News(kind: .otherSensor(wanted: wanted, found: id)))
        }
        (foreign, isForeignHeard) = (nil, false)
        guard known != id else { return (true, nil) }
        defer { known = id }
        guard let known else { return (true, nil) }
        let details = [Event.Detail("was", known), Event.Detail("id", id)]
        return (true, News(kind: .plain(.sensorIDChanged), details: details))
    }
}
