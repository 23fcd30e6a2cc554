import ControlProtocol
import Core

@testable import StoreQueries
@testable import roost

/// A station as a screen may find it.
enum WatchFixture {
    static let moment = ScreenTime(
        bootSeconds: 5_000,
        wallSeconds: 1_795_350_727,
        zone: Zone { _ in 3_600 }
    )

    static func reading(
        _ channel: String,
        _ value: String?,
        _ unit: String,
        at seconds: Double,
        noData: String? = nil
    ) -> ReadingReport {
        ReadingReport(
            channel: channel,
            instantSeconds: seconds,
            ageSeconds: 0,
            outcome: (value.flatMap { Measured($0) }, noData),
            unit: unit,
            quality: []
        )
    }

    static func event(_ kind: String, at seconds: Double) -> EventReport {
        EventReport(
            instantSeconds: seconds,
            ageSeconds: 0,
            source: "door",
            kind: kind,
            severity: "info",
            details: Details()
        )
    }

    static func status(channels: Int = 3, faults: Int = 0, lamp: String? = "good") -> StatusReport {
        let names = ["dust/pm25", "dust/pm10", "attic/temperature"]
        let reports = (0..<channels).map { index -> ChannelReport in
            let name = index < names.count ? names[index] : "sensor-\(index)/value"
            return ChannelReport(
                channel: name,
                unit: "µg/m³",
                latest: reading(name, "1\(index).5", "µg/m³", at: 4_998),
                valueAgeSeconds: 2,
                isStale: false
            )
        }
        return StatusReport(
            name: "balcony",
            version: "1",
            processID: 900,
            uptimeSeconds: 4_000,
            wallTime: "2026-11-22T12:32:07Z",
            bootID: nil,
            mode: ModeReport(mode: "live", name: nil, endsInSeconds: 540),
            lamp: lamp,
            channels: reports,
            budget: BudgetReport(
                wakeUps: 800,
                wakeUpsPerMinute: 12,
                cpuMilliseconds: 900,
                voluntarySwitches: 900,
                residentKiB: 9_800,
                privateKiB: 6_000,
                descriptorCount: 12,
                threadCount: 3,
                readingCount: 900,
                eventCount: 20
            ),
            watchdog: nil,
            faults: (0..<faults).map { index in
                FaultReport(
                    id: "sensor-silent:dust\(index)",
                    since: nil,
                    ageSeconds: 240,
                    sentence: "dust\(index) at /dev/ttyUSB\(index) does not answer",
                    nextStep: "see its cable and its power; roost events --last 1h says what was "
                        + "tried"
                )
            }
        )
    }

    static func state(
        channels: Int = 3,
        faults: Int = 0,
        lamp: String? = "good",
        devices: Int = 3,
        events: Int = 30
    ) -> WatchState {
        var state = WatchState()
        state.apply(status(channels: channels, faults: faults, lamp: lamp))
        state.prepend(
            past: (0..<300).map { second in
                let value = "\(10 + (second * 7) % 13).\(second % 10)"
                return reading("dust/pm25", value, "µg/m³", at: 4_698 + Double(second))
            }
        )
        state.prepend(
            past: (0..<events).map { event("motion", at: 4_900 + Double($0)) }
        )
        state.apply(
            DevicesReport(
                devices: (0..<devices).map { index in
                    DeviceReport(
                        name: "device-\(index)",
                        type: "nova-sds011",
                        location: "/dev/ttyUSB0",
                        state: "measuring",
                        facts: Details([Fact("id", "A160"), Fact("firmware", "18-11-16")])
                    )
                },
                unclaimed: []
            )
        )
        return state
    }

    static func screen(_ state: WatchState, _ columns: Int, _ rows: Int) -> [StyledLine] {
        let size = WatchScreen.Size(columns: columns, rows: rows)
        return WatchScreen(state: state, moment: moment, size: size).lines
    }
}
