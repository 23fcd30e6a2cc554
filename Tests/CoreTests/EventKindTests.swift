import Core
import Testing

@Suite struct EventKindTests {
    private static let boot = BootID(bytes: Array(1...16))

    /// A kind of each sort that has content, and every other.
    private static var all: [EventKind] {
        var missing = MissingSamples(
            .noPlace,
            of: StreamID(3),
            from: Tick(tenths: -5),
            to: Tick(tenths: 7)
        )
        (missing.count, missing.device) = (4, "balcony")
        (missing.fromBoot, missing.toBoot) = (boot, boot)
        let causes = GapCause.allCases.map {
            MissingSamples($0, of: nil, from: Tick(tenths: 0), to: Tick(tenths: 9))
        }
        let found = [true, false].map {
            EventKind.DeviceFound(isNew: $0, identity: "a:1", profile: "a", node: "/dev/a")
        }
        let plain = EventKind.Plain.allCases.map { EventKind.plain($0) }
        let lines = EventKind.LineFault.allCases.flatMap {
            [EventKind.lineFault($0), .recovered($0)]
        }
        return plain + lines + found.map { .deviceFound($0) }
            + (causes + [missing]).map { .samplesMissing($0) } + alerts.map { .alert($0) } + [
                .childStarted(child: "dust"), .motion, .motionEnded, .httpDeviceBack,
                .httpDeviceLost(reason: ""), .other("of another version"),
                .otherSensor(wanted: "B0B0", found: "A160"), .doseMarked(channel: "geiger"),
                .surveyBegun(.init("walk", isForUpload: true)),
                .surveyBegun(.init("walk", isForUpload: false)), .outboxInTime(target: "influx"),
            ] + late
    }

    private static var late: [EventKind] {
        let texts: [KeyValuePairs] = [
            ["target": "influx"], ["target": "influx", "why": "401", "since": "06:00"],
        ]
        return texts.map { texts in
            let details = texts.map { Event.Detail($0.key, $0.value) }
            return Event(
                at: .boot,
                source: "a",
                name: "outbox late",
                severity: .info,
                details: details
            ).kind
        }
    }

    private static var alerts: [AlertEvent] {
        let key = AlertEvent.Key("who-24h", "balcony/pm25")
        var raised = AlertEvent.Raised(7, key)
        (raised.value, raised.limit, raised.unit) = (16.1, 15, "µg/m³")
        (raised.over, raised.held, raised.kind, raised.why) = (86_400, 300, "mean", "unplugged")
        raised.flags = ["humid", "silenced"]
        let level = AlertEvent.Level(
            number: 8,
            raise: 7,
            key: key,
            level: 2,
            was: 1,
            severity: .critical,
            value: 60
        )
        let resolved = AlertEvent.Resolved(
            number: 9,
            raise: 7,
            key: key,
            why: .noData,
            lasted: 90,
            worst: 61.5,
            severity: .warning
        )
        let entries = (1...4).map { raise in
            AlertEvent.Standing.Entry(
                raise: Int64(raise),
                key: key,
                level: 1,
                age: 10 * raise,
                worst: raise == 1 ? nil : 16.1,
                acknowledged: raise == 2 ? .max : raise == 3 ? 60 : nil
            )
        }
        let standing = AlertEvent.Standing.events(number: 9, entries, [.init(key, 20)])
        return [
            .raised(raised), .raised(AlertEvent.Raised(1, key)), .level(level),
            .acknowledged(.init(10, of: 7, key, by: "pi", for: 60)),
            .acknowledged(.init(10, of: 7, key, by: "pi", for: nil)), .resolved(resolved),
            .silenced(.init(key, for: 0, by: "pi")),
        ] + standing.map { .standing($0) }
    }

    private func stored(_ name: String, _ details: [Event.Detail]) -> Event {
        Event(at: .boot, source: "a", name: name, severity: .info, details: details)
    }

    @Test func everyKindIsReadBackFromItsNameAndDetails() {
        let more = [Event.Detail("more", "1"), Event.Detail("and more", "")]
        for kind in Self.all {
            let event = Event(at: .boot, source: "a", kind: kind, severity: .info, details: more)
            #expect(event.details.suffix(2) == more)
            let back = stored(kind.name, event.details)
            #expect(back == event)
            #expect(back.kind == kind)
        }
    }

    @Test func namesAreThoseOfTheList() {
        var names = Set(Self.all.map(\.name))
        names.remove("of another version")
        #expect(names == EventKind.names)
    }

    /// The rights of a survey, by the word that was stored: what has left does not come back.
    @Test(arguments: [(nil, true), ("yes", true), ("no", false), ("never", false)])
    func onlyAYesLetsASurveyLeave(_ word: String?, _ isForUpload: Bool) {
        let details = [Event.Detail("name", "walk")] + (word.map { [.init("upload", $0)] } ?? [])
        let survey = EventKind.Survey("walk", isForUpload: isForUpload)
        #expect(stored("survey begun", details).kind == .surveyBegun(survey))
    }

    @Test func aTargetIsLateByItsEvent() {
        let event = stored("outbox late", [.init("target", "influx"), .init("why", "401")])
        guard case .outboxLate(let late) = event.kind else {
            Issue.record("\(event)")
            return
        }
        #expect(late.target == "influx" && late.why == "401" && late.since == nil)
    }

    /// Events that cannot be understood are shown as they were stored.
    @Test(arguments: [
        ("samples missing", [("cause", "gremlins"), ("from", "1"), ("to", "2")]),
        ("samples missing", [("cause", "muted"), ("from", "1")]),
        ("samples missing", [("cause", "muted"), ("from", "1"), ("to", "2"), ("stream", "x")]),
        ("samples missing", [("cause", "muted"), ("from", "1"), ("to", "2"), ("toBoot", "x")]),
        ("recovered", [("fault", "none")]), ("recovered", []), ("child started", []),
        ("device adopted", [("node", "/dev/a")]), ("lamp burst", [("lamp", "red")]),
    ])
    func whatIsNotUnderstoodStaysAsItIs(_ name: String, _ details: [(String, String)]) {
        let details = details.map { Event.Detail($0.0, $0.1) }
        let event = stored(name, details)
        #expect(event.kind == .other(name))
        #expect(event.details == details)
    }
}
