import FoundationEssentials

/// The version of the control protocol; a server refuses other ones and says which it speaks.
package let controlProtocolVersion = 3

/// One request: a line of JSON, at most 64 KiB.
package struct ControlRequest: Codable, Hashable, Sendable {
    package enum Command: String, Codable, Sendable, CaseIterable {
        /// `StatusReport`.
        case status
        /// `TreeReport`.
        case tree
        /// `DevicesReport`.
        case devices
        /// `ReadingsReport` of the last hours.
        case readings
        /// `EventsReport` of the last hours.
        case events
        /// `TailReport`: what the history's file does not have yet. From a follower's position:
        /// the records after it, at most `limit`; waits up to `waitSeconds` for `samples`; an
        /// alert, a motion, or an event from `warning` on, is answered at once.
        case tail
        /// A stream: one `LiveItem` a line until either side closes.
        case live
        /// Changes the power mode; `StatusReport` after it.
        case mode
        /// Decides about a device that was found; `DevicesReport` after each.
        case adopt, ignore, rename, forget
        /// Leaves values of a device or channel out, and ends that; `DevicesReport` after it.
        case mute, unmute
        /// `ClockReport`; `trustClock` confirms that the system clock is right, or sets it to
        /// `time`.
        case clock, trustClock
        /// `time` by the clock of an owner's browser, which counts while nothing better is known;
        /// `ClockReport` after it.
        case offerTime
        /// Weighs the times that stations nearby say, `neighbours`; `ClockReport` after it.
        case hearNeighbours
        /// Makes another id for the station; `StatusReport` after it.
        case newStationID
        /// Writes what a person noticed into the history, as an event; `StatusReport` after it.
        case note
        /// `FindingsReport` of the checks of `roost doctor`, as far as a running station can ask
        /// them; an earlier one, if that is not older than `seconds` and than 10 s.
        case doctor
        /// `ProfilesReport`.
        case profiles
        /// `ProfileCheckReport` of the profile in `text`; nothing is kept of it.
        case checkProfile
        /// `SettingsReport`; `set` changes settings by a merge patch.
        case settings, set
        /// Adds an HTTP device or changes a device; `remove` removes one that was added; `record`
        /// keeps its values or only shows them. `DevicesReport` after each.
        case configure, remove, record
        /// `CursorReport`; with `name` and `blob` it stores that blob first.
        case cursor
        /// Records an event of the courier, `kind` with `details`; `CourierEventReport`.
        case courierEvent
        /// Records an event of the camera, `kind` with `details`; `CourierEventReport`.
        case cameraEvent
        /// Announces use of the camera for the next `seconds`, 0 for its end; `CameraOnReport`.
        case cameraOn
        /// `ImportsReport`: stores `rows` of other programs' series.
        case imports
        /// `ClaimWindowReport`; with `seconds` 0 the window is closed: the station has an owner.
        case claimWindow
        /// `AlertsReport`: what is raised, and the rules.
        case alerts
        /// Acknowledges the alert `n`, silences a `key`, ends that, or sends a test notice of the
        /// rule `name` to receivers; `AlertsReport` after each.
        case acknowledge, silence, unsilence, testAlert
    }

    /// Protocol version of the client.
    package let version: Int
    package let command: Command
    /// `mode`: `normal`, `live` or `survey`.
    package let mode: String?
    /// `mode`: the survey's name, 1…64 characters; `adopt`, `rename`: the device's; `cursor`: the
    /// follower's.
    package let name: String?
    /// `mode`, `mute`: how long; `configure`: the interval.
    ///
    /// `mode`: 1…86 400 s; after it the mode is `normal` again. `mute`: 1 s…366 days, longer values
    /// are cut to that; nil until `unmute`. `doctor`: how old the report may be. `claimWindow`: 0
    /// or nil.
    package let seconds: Double?
    /// `readings`, `events`: how far back, > 0 s; nil is everything kept.
    package let lastSeconds: Double?
    /// `readings`, `events`: at most this many, the newest, 1…10 000; `tail`: of a follower's
    /// records the oldest, 1…2 048, at first 500.
    package let limit: Int?
    /// `readings`, `events`, `tail`: `next` of the page before, or `end`; nil asks for the first.
    package var from: String?
    /// `adopt`, `ignore`, `rename`, `forget`: a name, an identity or a port; `mute`, `unmute`: a
    /// name, or a channel as in `balcony/pm25`; `configure`, `remove`, `record`: a name.
    package var device: String?
    /// `adopt`: what is there, by a profile's id, nil lets the probe find out;
    /// `configure`: the type of a new device.
    package var profile: String?
    /// `trustClock`, `offerTime`: what time it is, ISO 8601.
    ///
    /// `trustClock`: nil uses the system clock. `note`: when it was, if not now.
    package var time: String?
    /// `note`: 1…120 bytes of UTF-8 without control characters; `checkProfile`: a profile.
    package var text: String?
    /// Name of the account that asked, 1…64 characters, for the events.
    ///
    /// Only from root, `roost-web` and the group `roost`.
    package var actor: String?
    /// `configure`: where an HTTP device is, `http://` may be left out.
    package var address: String?
    /// `configure`, `record`: whether values are kept.
    package var isOn: Bool?
    /// `mode`: whether a survey is kept from uploads; nil is no.
    package var isPrivate: Bool?
    /// `configure`: true refuses a name that another device already has.
    package var isNew: Bool?
    /// `set`: a merge patch (RFC 7396), as JSON text.
    package var patch: String?
    /// `set`, `configure`, `record`: `SettingsReport.tag` of what the change was made from; nil
    /// changes whatever is there.
    package var tag: String?
    /// `tail`: how long a follower's answer may take, 0…600 s; nil answers at once.
    package var waitSeconds: Double?
    /// `tail`: which samples are worth a follower's answer; nil: the first.
    package var samples: TailCondition?
    /// `cursor`: 0…1 024 bytes, in base64, kept for `name`; empty removes that.
    package var blob: Data?
    /// `cursor`: whether it is written within 2 s instead of within the loss window.
    package var isUrgent: Bool?
    /// `courierEvent`: `outbox held`, `outbox resumed`, `outbox refused`, `outbox expired`,
    /// `outbox drained`, `outbox late`, `outbox in time`, `courier started` or `courier stopped`.
    ///
    /// `cameraEvent`: `camera started`, `camera fails` or `camera works again`.
    package var kind: String?
    /// `courierEvent`: `target`, `why`, `from`, `to`, `samples`; `cameraEvent`: `why`, `count`;
    /// each 1…120 bytes.
    package var details: [String: String]?
    /// `hearNeighbours`: 0…16.
    package var neighbours: [NeighbourTime]?
    /// `imports`: 1…500.
    package var rows: [ImportRow]?
    /// `acknowledge`: the number of a raised alert; `seconds` is how long, nil until it is over.
    package var n: Int64?
    /// `silence`, `unsilence`: a rule and its subject, as `who-24h:balcony/pm25`; `seconds` is how
    /// long, 1 s…366 days.
    package var key: String?
    /// `testAlert`: the measured value that the notice reports; nil for none.
    package var value: Double?
    /// `testAlert`: the id of the only receiver; nil for all.
    package var receiver: String?

    package init(
        _ command: Command,
        mode: String? = nil,
        name: String? = nil,
        seconds: Double? = nil,
        lastSeconds: Double? = nil,
        limit: Int? = nil
    ) {
        version = controlProtocolVersion
        self.command = command
        self.mode = mode
        self.name = name
        self.seconds = seconds
        self.lastSeconds = lastSeconds
        self.limit = limit
    }
}

extension ControlRequest {
    /// The same question for the page that begins at `cursor`.
    package func page(from cursor: String?) -> ControlRequest {
        var request = self
        request.from = cursor
        return request
    }

    /// Asks for the records after a follower's position.
    package static func tail(
        after position: String,
        limit: Int? = nil,
        waitSeconds: Double? = nil,
        samples: TailCondition? = nil
    ) -> ControlRequest {
        var request = ControlRequest(.tail, limit: limit).page(from: position)
        (request.waitSeconds, request.samples) = (waitSeconds, samples)
        return request
    }

    /// Keeps a follower's blob; an empty one removes its name.
    package static func cursor(
        _ name: String,
        _ blob: [UInt8],
        isUrgent: Bool = false
    ) -> ControlRequest {
        var request = ControlRequest(.cursor, name: name)
        (request.blob, request.isUrgent) = (Data(blob), isUrgent)
        return request
    }

    /// Records an event of the camera.
    package static func cameraEvent(_ kind: String, _ details: [String: String]) -> ControlRequest {
        var request = ControlRequest(.cameraEvent)
        (request.kind, request.details) = (kind, details)
        return request
    }

    /// Announces that the camera is in use for a time; zero says that it no longer is.
    package static func cameraOn(for duration: Duration) -> ControlRequest {
        ControlRequest(.cameraOn, seconds: duration / .seconds(1))
    }

    /// Records an event of the courier.
    package static func courierEvent(_ kind: String, _ details: [String: String])
        -> ControlRequest
    {
        var request = ControlRequest(.courierEvent)
        (request.kind, request.details) = (kind, details)
        return request
    }

    /// Stores values of other programs' series.
    package static func imports(_ rows: [ImportRow]) -> ControlRequest {
        var request = ControlRequest(.imports)
        request.rows = rows
        return request
    }
}

/// One answer: a line of JSON with exactly one of the two fields.
package struct ControlAnswer<Body: Codable & Sendable>: Codable, Sendable {
    package let version: Int
    package let body: Body?
    package let error: ControlFailure?

    package init(_ result: Result<Body, ControlFailure>) {
        version = controlProtocolVersion
        switch result {
        case .success(let body): (self.body, error) = (body, nil)
        case .failure(let failure): (body, error) = (nil, failure)
        }
    }
}

/// Why a request was refused, as a text that names what to do.
package struct ControlFailure: Error, Codable, Hashable, Sendable {
    package let code: RefusalCode
    package let message: String
    /// The place of a wrong value in what was sent, as `/address`; nil for the whole.
    package var pointer: String?

    package init(code: RefusalCode, message: String, pointer: String? = nil) {
        self.code = code
        self.message = message
        self.pointer = pointer
    }
}
