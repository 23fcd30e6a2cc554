import ControlProtocol
import Core
import Testing

@testable import RoostWeb

@Suite struct VerdictTests {
    private static func reading(
        _ channel: String,
        _ value: String?,
        _ noData: String?,
        _ quality: [String]
    ) -> ReadingReport {
        ReadingReport(
            channel: channel,
            instantSeconds: 10,
            ageSeconds: 1,
            outcome: (value.flatMap { Measured($0) }, noData),
            unit: "µg/m³",
            quality: quality
        )
    }

    private static func channel(
        _ name: String,
        _ value: String?,
        level: String? = nil,
        noData: String? = nil,
        isStale: Bool = false,
        quality: [String] = []
    ) -> ChannelReport {
        var channel = ChannelReport(
            channel: name,
            unit: "µg/m³",
            latest: reading(name, value, noData, quality),
            valueAgeSeconds: value == nil && !isStale ? nil : 1,
            isStale: isStale
        )
        channel.level = level
        return channel
    }

    private static func verdict(
        _ channels: [ChannelReport],
        lamp: String? = nil,
        faults: [String] = [],
        devices: [(name: String, type: String, state: String)] = [("dust", "sds011", "measuring")],
        adjust: (inout StatusReport, inout [DeviceReport]) -> Void
    ) -> Verdict {
        var status = StatusReport(
            name: "balcony",
            version: "1",
            processID: 1,
            uptimeSeconds: 100,
            wallTime: nil,
            bootID: nil,
            mode: ModeReport(mode: "normal", name: nil, endsInSeconds: nil),
            lamp: lamp,
            channels: channels,
            budget: BudgetReport(
                wakeUps: 0,
                wakeUpsPerMinute: 0,
                cpuMilliseconds: 0,
                voluntarySwitches: 0,
                residentKiB: 0,
                privateKiB: 0,
                descriptorCount: 0,
                threadCount: 1,
                readingCount: 0,
                eventCount: 0
            ),
            watchdog: nil,
            faults: faults.map {
                FaultReport(id: $0, since: nil, ageSeconds: 1, sentence: "", nextStep: "")
            }
        )
        var reports = devices.map {
            DeviceReport(
                name: $0.name,
                type: $0.type,
                location: "",
                state: $0.state,
                facts: Details()
            )
        }
        adjust(&status, &reports)
        return Verdict(status, DevicesReport(devices: reports, unclaimed: []))
    }

    private static func verdict(
        _ channels: [ChannelReport],
        lamp: String? = nil,
        faults: [String] = [],
        devices: [(name: String, type: String, state: String)] = [("dust", "sds011", "measuring")]
    ) -> Verdict {
        verdict(channels, lamp: lamp, faults: faults, devices: devices) { _, _ in }
    }

    private static func verdict(
        _ channels: [ChannelReport],
        store: StoreReport.State? = nil,
        lampCause: LampReport? = nil,
        progress: ProgressReport? = nil,
        mutedFor seconds: Double? = nil
    ) -> Verdict {
        verdict(channels) { status, devices in
            status.store = store.map {
                var report = StoreReport(folder: "/var/lib/roost", journal: nil)
                report.state = $0
                return report
            }
            status.lampCause = lampCause
            devices[0].progress = progress
            devices[0].mutes =
                seconds.map {
                    [MuteReport(target: "dust", endTime: nil, endsInSeconds: $0)]
                } ?? []
        }
    }

    @Test func theLampDecidesTheLevelWhereThereIsOne() {
        let channels = [Self.channel("dust/pm25", "4.9", level: "moderate")]
        #expect(Self.verdict(channels, lamp: "poor").code == "level.poor")
        #expect(Self.verdict(channels).code == "level.moderate")
        #expect(Self.verdict(channels).because == ["dust/pm25"])
    }

    @Test func aLampAloneIsNoSensor() {
        let verdict = Self.verdict([], devices: [("lights", "traffic-light", "unknown")])
        #expect((verdict.code, verdict.level) == ("no-sensor", .unknown))
    }

    @Test func aSensorThatWarmsUpIsNoFault() {
        let verdict = Self.verdict([], devices: [("dust", "sds011", "starting")])
        #expect((verdict.code, verdict.subject) == ("warming", "dust"))
    }

    @Test func oneChannelThatIsAwayLeavesTheLevelOfTheOthers() {
        let verdict = Self.verdict([
            Self.channel("dust/pm25", "1.0", level: "good"),
            Self.channel("attic/pm25", "9.0", isStale: true),
        ])
        #expect((verdict.code, verdict.level) == ("channel.stale", .good))
        #expect(verdict.subject == "attic")
        #expect(verdict.sentence == "Measuring. The air is good. But attic sends nothing.")
    }

    @Test func withoutAnyValueTheReasonIsNamed() {
        let verdict = Self.verdict([Self.channel("dust/pm25", nil, noData: "unplugged")])
        #expect((verdict.code, verdict.cause) == ("dust.stale", "unplugged"))
        #expect(verdict.level == .unknown)
    }

    @Test func aStoreThatFailsIsSaidBeforeTheAir() {
        let channels = [Self.channel("dust/pm25", "1.0", level: "good")]
        let verdict = Self.verdict(channels, faults: ["store-not-writing"])
        #expect((verdict.code, verdict.level) == ("store.failing", .fault))
    }

    /// Tests each row of the table of states that a status can cause.
    @Test(
        arguments: [
            (.ok, "level.good", .good), (.opening, "level.good", .good),
            (.full, "store.full", .fault), (.missing, "store.missing", .fault),
            (.failing, "store.failing", .fault), (.historyFailing, "store.history", .fault),
        ] as [(StoreReport.State, String, Verdict.Level)]
    )
    func theStoreIsSaidAsItFares(state: StoreReport.State, code: String, level: Verdict.Level) {
        let channels = [Self.channel("dust/pm25", "1.0", level: "good")]
        let verdict = Self.verdict(channels, store: state)
        #expect((verdict.code, verdict.level) == (code, level))
        #expect(verdict.sentence.hasPrefix("Measuring"))
        let nothing = Self.verdict([Self.channel("dust/pm25", nil)], store: state)
        let isLost = ![.ok, .opening, .full].contains(state)
        #expect((nothing.code == "store.nothing") == isLost)
    }

    @Test func theWarmUpSaysHowLong() {
        let progress = ProgressReport(phase: "warming", endsInSeconds: 12, nextInSeconds: 17)
        let verdict = Self.verdict([], progress: progress)
        #expect((verdict.code, verdict.leftSeconds) == ("warming", 17))
        let away = [Self.channel("dust/pm25", nil, noData: "unplugged", isStale: true)]
        #expect(Self.verdict(away, progress: progress).code == "warming")
        #expect(Self.verdict(away).code == "dust.stale")
        let asleep = ProgressReport(phase: "asleep", endsInSeconds: 12, nextInSeconds: 17)
        #expect(Self.verdict(away, progress: asleep).code == "dust.stale")
    }

    @Test func aMuteSaysUntilWhen() {
        let muted = [Self.channel("dust/pm25", nil, noData: "muted")]
        let verdict = Self.verdict(muted, mutedFor: 600)
        #expect((verdict.code, verdict.leftSeconds) == ("muted", 600))
        #expect(verdict.sentence == "dust is muted.")
    }

    @Test func aDoubtfulValueIsSaidWithItsDoubt() {
        var channel = Self.channel("dust/pm25", "1.0", level: "good", quality: ["humid"])
        let verdict = Self.verdict([channel])
        #expect((verdict.code, verdict.doubts) == ("level.good", ["humid"]))
        #expect(verdict.sentence == "Measuring. The air is good (doubtful: humid).")
        channel.level = nil
        #expect(Self.verdict([channel], lamp: "good").doubts.isEmpty)
    }

    /// The lamp's hysteresis holds on the page, also without lights.
    @Test func theLampDecidesLevelAndReason() {
        let channels = [
            Self.channel("dust/pm25", "2.7", level: "good"),
            Self.channel("dust/pm10", "9.0", level: "good"),
        ]
        let lamp = LampReport(
            rule: "sample-levels",
            device: "dust",
            level: "moderate",
            because: ["dust/pm25"],
            noData: nil
        )
        let verdict = Self.verdict(channels, lampCause: lamp)
        #expect((verdict.level, verdict.because) == (.moderate, ["dust/pm25"]))
    }

    /// Else the page says *The air is good* above a reading that is poor.
    @Test func aDeviceThatTheLampDoesNotFollowCounts() {
        let lamp = LampReport(
            rule: "sample-levels",
            device: "dust",
            level: "good",
            because: ["dust/pm25"],
            noData: nil
        )
        let dust = Self.channel("dust/pm25", "2.7", level: "good")
        let worse = Self.verdict(
            [dust, Self.channel("school/pm25", "60.0", level: "poor")],
            lampCause: lamp
        )
        #expect((worse.level, worse.because) == (.poor, ["school/pm25"]))
        let alike = Self.verdict(
            [dust, Self.channel("school/pm25", "3.0", level: "good")],
            lampCause: lamp
        )
        #expect((alike.level, alike.because) == (.good, ["dust/pm25", "school/pm25"]))
    }

    @Test func anotherQuantityDoesNotMakeTheAirKnown() {
        let verdict = Self.verdict([
            Self.channel("dust/pm25", nil, noData: "unplugged"),
            Self.channel("attic/temperature", "21.0"),
        ])
        #expect((verdict.code, verdict.level, verdict.subject) == ("dust.stale", .unknown, "dust"))
        let warm = Self.verdict([Self.channel("attic/temperature", "21.0")])
        #expect((warm.code, warm.level) == ("level.none", .unknown))
    }

    @Test func oneThatSaysWhyItIsAwayIsQuoted() {
        let verdict = Self.verdict([
            Self.channel("dust/pm25", "1.0", level: "good"),
            Self.channel("attic/pm25", nil, noData: "unplugged", isStale: true),
        ])
        #expect((verdict.code, verdict.cause) == ("channel.cause", "unplugged"))
        #expect(verdict.sentence.hasSuffix("But attic has no value: unplugged."))
    }

    /// A Plantower that never measured formaldehyde is fine; one that no longer gives it is not.
    @Test func whatAPartDoesNotMeasureIsNoFault() {
        func verdict(_ age: Double?) -> Verdict {
            let absent = ChannelReport(
                channel: "dust/hcho",
                unit: "mg/m³",
                latest: Self.reading("dust/hcho", nil, "notMeasured", []),
                valueAgeSeconds: age,
                isStale: true
            )
            return Self.verdict([Self.channel("dust/pm25", "1.0", level: "good"), absent])
        }
        #expect(verdict(nil).code == "level.good")
        #expect(verdict(60).code == "channel.cause")
    }

    @Test func aCleanValueIsNeverGreenBecauseItIsOld() {
        let verdict = Self.verdict([Self.channel("dust/pm25", "1.0", isStale: true)])
        #expect(verdict.level == .unknown)
    }
}
