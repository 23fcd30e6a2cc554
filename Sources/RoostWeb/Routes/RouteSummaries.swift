import ControlProtocol

/// One sentence for each route of the API, the keys of its query, and the type of its answer, for
/// `/api/v1/openapi.json`.
enum RouteSummaries {
    struct Entry: Sendable {
        let text: String
        let keys: [String]
        /// Absent for an answer that is no JSON, or has no type yet.
        let answer: (any (Decodable & Sendable).Type)?

        init(
            _ text: String,
            _ keys: [String] = [],
            _ answer: (any (Decodable & Sendable).Type)? = nil
        ) {
            (self.text, self.keys, self.answer) = (text, keys, answer)
        }
    }

    private static let range = ["from", "to", "last"]

    /// Summaries by method and path without `/api/v1`.
    static let all: [String: Entry] = reading.merging(writing) { first, _ in first }

    private static let reading: [String: Entry] = [
        "GET /openapi.json": Entry("This description."),
        "GET /station": Entry("Verdict, latest values, faults, mode and clock of the station."),
        "GET /time": Entry(
            "What time it is, and by what; stations nearby ask for it.",
            [],
            ClockReport.self
        ),
        "GET /channels": Entry("All channels of the history, with units, limits and extent."),
        "GET /explain/{quantity}": Entry("Means of a quantity beside its guidelines."),
        "GET /series": Entry(
            "Up to four channels in equal steps, as columns.",
            ["channel", "points"] + range
        ),
        "GET /means": Entry(
            "Means of local hours, days, weeks, months or years.",
            ["channel", "by", "zone"] + range
        ),
        "GET /ledger": Entry("Where the time of a channel went, by cause.", ["channel"] + range),
        "GET /gaps/{device}/{quantity}/{time}": Entry(
            "Why there is no value at a time, and what to do.",
            ["zone"]
        ),
        "GET /events": Entry(
            "Events, newest first.",
            ["source", "kind", "severity", "cursor", "limit"] + range
        ),
        "GET /readings": Entry(
            "Raw readings of a channel.",
            ["channel", "cursor", "limit"] + range
        ),
        "GET /proof": Entry("Measured and explained time since the first sample."),
        "GET /export": Entry(
            "Readings as CSV, NDJSON or JSON, streamed, with ranges of bytes.",
            ["format", "channel", "survey", "without"] + range
        ),
        "GET /files/{type}": Entry(
            "Files of 60, 1440, 10080 or 43800 minutes with PM2.5 and PM10, newest first.",
            range
        ),
        "GET /files/{type}/{name}": Entry("One of them, as CSV."),
        "GET /copies/{id}": Entry("An SQLite copy of the history, with ranges of bytes."),
        "GET /notes": Entry("What people wrote down.", range),
        "GET /surveys": Entry("Stretches of time that people named."),
        "GET /dose": Entry(
            "Counts of a radiation counter, their error, and the dose.",
            ["channel"] + range
        ),
        "GET /live": Entry("Readings, events and alerts as server-sent events, with resumption."),
        "GET /devices": Entry("Devices in use, and what was found.", [], DevicesView.self),
        "GET /tree": Entry("The supervision tree.", [], TreeReport.self),
        "GET /rules": Entry(
            "The limits that lamp and levels go by, and the rules of alerts.",
            [],
            RulesView.self
        ),
        "GET /alerts": Entry(
            "What is raised, what waits, and what is silenced.",
            [],
            AlertsView.self
        ),
        "GET /health": Entry("Faults and findings, each with its next step; starts."),
        "GET /settings": Entry("Settings and where each comes from.", [], SettingsView.self),
        "GET /me": Entry("Who asks; the first request of every page.", [], MeView.self),
        "GET /sessions": Entry("Own sessions.", [], ItemList<SessionView>.self),
        "GET /tokens": Entry("Own tokens, without their secrets.", [], ItemList<TokenView>.self),
        "GET /members": Entry("People with an account.", [], ItemList<MemberView>.self),
        "GET /invitations": Entry("Invitations that are open.", [], ItemList<InvitationView>.self),
        "GET /audit": Entry("Who changed what.", [], ItemList<AuditView>.self),
        "GET /trust": Entry(
            "Whether this is encrypted, and the authority's fingerprint.",
            [],
            TrustView.self
        ),
        "GET /push": Entry(
            "The key that a browser subscribes with, and whether notices go out.",
            [],
            PushKeyReport.self
        ),
        "GET /outbox": Entry(
            "What became of each sample and notice at each target.",
            [],
            OutboxView.self
        ),
        "GET /sites": Entry(
            "Own position, and what regions, stations and peers measured.",
            ["kind"] + range
        ),
        "GET /map": Entry(
            "Whose map pictures the page Map shows; null for none.",
            [],
            MapView.self
        ),
        "GET /stations": Entry("The owner's other stations, each with its verdict."),
        "GET /clusters/{quantity}": Entry(
            "Means by place: measurements within 200 m of their centre are one.",
            range
        ),
        "GET /records": Entry(
            "Motions, newest first, with what is known of their pictures.",
            ["cursor", "limit"]
        ),
        "GET /records/{number}/picture": Entry("The picture of a motion, as JPEG; no tokens."),
        "GET /camera": Entry(
            "How the live picture is, and how many watch it.",
            [],
            CameraView.self
        ),
        "GET /camera/live": Entry(
            "The live picture: JPEGs as multipart/x-mixed-replace; no tokens.",
            ["turn"]
        ),
        "GET /outbox/fates": Entry(
            "What became of the first sample of each device from a moment on.",
            ["time", "target"],
            OutboxFatesReport.self
        ),
        "GET /update": Entry(
            "Which root of an image runs, and what became of the last update.",
            [],
            UpdateView.self
        ),
        "GET /profiles": Entry(
            "Kinds of devices that the station knows, with their facts.",
            [],
            ProfilesView.self
        ),
        "GET /diagnostics": Entry("One file for someone who helps; read it before it is sent."),
    ]

    private static let writing: [String: Entry] = [
        "POST /mode": Entry("Changes how often the station measures, or begins a survey."),
        "POST /copies": Entry("Makes an SQLite copy of the history, kept for an hour."),
        "POST /time": Entry("Gives the time by this device's clock, until a better one is known."),
        "POST /notes": Entry("Writes a note, at most 120 bytes."),
        "POST /dose/mark": Entry("Has the dose of a counter counted from now on."),
        "POST /mutes/{target}": Entry(
            "Leaves a device or channel out for a while.",
            [],
            DevicesView.self
        ),
        "DELETE /mutes/{target}": Entry("Ends that.", [], DevicesView.self),
        "POST /alerts/{n}/ack": Entry(
            "Says that a person knows of an alert, for a while or not.",
            [],
            AlertsView.self
        ),
        "POST /alerts/{n}/snooze": Entry(
            "Holds its notices back, for a day at most.",
            [],
            AlertsView.self
        ),
        "POST /alerts/test": Entry(
            "Raises a notice of a rule, marked as a test.",
            [],
            AlertsView.self
        ),
        "POST /outbox/{id}/flush": Entry("Sends what waits at a target now.", [], OutboxView.self),
        "POST /outbox/{id}/pause": Entry(
            "Sends a target nothing, for a while or until resumed.",
            [],
            OutboxView.self
        ),
        "POST /outbox/{id}/resume": Entry("Ends that.", [], OutboxView.self),
        "POST /outbox/{id}/retry": Entry(
            "Sends what a target refused once more.",
            [],
            OutboxRetryReport.self
        ),
        "POST /outbox/{id}/prove": Entry(
            "Compares what a target has with what was delivered.",
            [],
            OutboxProofReport.self
        ),
        "POST /outbox/{id}/drop": Entry(
            "Leaves out what waits at a target from before a time.",
            [],
            OutboxDropReport.self
        ),
        "DELETE /records/{number}": Entry(
            "Deletes a picture; its bytes are written over.",
            [],
            EyesDeletion.self
        ),
        "POST /records/delete": Entry(
            "Deletes all pictures up to a number.",
            [],
            EyesDeletion.self
        ),
        "POST /update": Entry(
            "Has the uploaded update checked, written and tried.",
            [],
            UpdateView.self
        ),
        "POST /update/file": Entry("One piece of an update file, behind those before it.", ["at"]),
        "POST /push": Entry(
            "Has this browser notified with the page closed.",
            [],
            PushChangeReport.self
        ),
        "DELETE /push": Entry("Ends that.", [], PushChangeReport.self),
        "POST /devices": Entry("Adds an HTTP device on the local network.", [], DevicesView.self),
        "PATCH /devices/{name}": Entry(
            "Changes name, address, interval or recording of a device.",
            [],
            DevicesView.self
        ),
        "DELETE /devices/{name}": Entry(
            "Removes an added device, or forgets one that is away.",
            [],
            DevicesView.self
        ),
        "PATCH /settings": Entry(
            "Changes settings by a merge patch; needs If-Match.",
            [],
            SettingsView.self
        ),
        "POST /found/{identity}/adopt": Entry("Uses what was found.", [], DevicesView.self),
        "POST /found/{identity}/ignore": Entry("Leaves it alone.", [], DevicesView.self),
        "POST /actions/doctor": Entry("Examines the machine again, at most once a minute."),
        "POST /profiles/check": Entry(
            "All mistakes of a profile; nothing is kept of it.",
            [],
            ProfileCheckView.self
        ),
        "GET /claim": Entry(
            "Whether a station without an owner may be claimed without a code.",
            [],
            ClaimView.self
        ),
        "POST /claim": Entry(
            "Makes the first account, with the code of `roost claim` or in the claim window.",
            [],
            MeView.self
        ),
        "POST /login": Entry("Begins a session.", [], MeView.self),
        "POST /logout": Entry("Ends this session."),
        "POST /logout-everywhere": Entry("Ends all own sessions."),
        "POST /password": Entry("Changes the password, and ends the other sessions."),
        "PATCH /me": Entry("Changes own name, address, location or preferences.", [], MeView.self),
        "DELETE /sessions/{id}": Entry("Ends a session."),
        "POST /tokens": Entry(
            "Makes a token; its secret is in this answer alone.",
            [],
            NewTokenView.self
        ),
        "DELETE /tokens/{id}": Entry("Ends a token."),
        "PATCH /members/{id}": Entry("Changes a person's role."),
        "DELETE /members/{id}": Entry("Removes a person."),
        "POST /invitations": Entry("Invites a person.", [], NewInvitationView.self),
        "DELETE /invitations/{id}": Entry("Takes an invitation back."),
        "POST /invitations/{code}": Entry("Makes an account by an invitation.", [], MeView.self),
    ]
}
