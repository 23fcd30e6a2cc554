import ControlProtocol
import Core
import RoostWeb
import Testing

@Suite struct VerdictTests {
    private static func reading(_ channel: String, _ value: String?, _ noData: String? = nil)
        -> ReadingReport
    {
        ReadingReport(
            channel: channel,
            instantSeconds: 10,
            ageSeconds: 1,
            outcome: (value.flatMap { Measured($0) }, noData),
            unit: "µg/m³",
            quality: []
        )
    }

    private static func channel(
        _ name: String,
        _ value: String?,
        level: String? = nil,
        noData: String? = nil,
        isStale: Bool = false
    ) -> ChannelReport {
        var channel = ChannelReport(
            channel: name,
            unit: "µg/m³",
            latest: reading(name, value, noData),
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
        devices: [(name: String, type: String, state: String)] = [("dust", "sds011", "measuring")]
    ) -> Verdict {
        let status = StatusReport(
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
        let reports = devices.map {
            DeviceReport(
                name: $0.name,
                type: $0.type,
                location: "",
                state: $0.state,
                facts: Details()
            )
        }
        return Verdict(status, DevicesReport(devices: reports, unclaimed: []))
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
        #expect((verdict.code, verdict.level) == ("store.failing", .good))
    }

    @Test func aCleanValueIsNeverGreenBecauseItIsOld() {
        let verdict = Self.verdict([Self.channel("dust/pm25", "1.0", isStale: true)])
        #expect(verdict.level == .unknown)
    }
}
