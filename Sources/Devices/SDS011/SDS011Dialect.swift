import Core
import HardwareIO

/// How an SDS011 talks, for the probe and the replay; `SDS011Driver` runs the part itself.
///
/// - Source: Nova Fitness, *Laser Dust Sensor Control Protocol V1.3*.
package struct SDS011Dialect: SensorDialect {
    package let quantities = [Quantity.pm25, .pm10]
    package let rhythm = SensorRhythm.streams(every: .seconds(1))
    private var decoder = SDS011Decoder()

    package init() {}

    package var missingByteCount: Int { decoder.missingByteCount }

    package mutating func decode(_ bytes: Span<UInt8>, _ body: (SensorUtterance) -> Void) {
        decoder.decode(bytes) { result in
            switch result {
            case .success(.measurement(let measurement, let id)):
                body(.measurement(Self.outcomes(measurement), id: id.description))
            case .success(.reply(let reply, let id)):
                body(Self.utterance(reply, id: id.description))
            case .failure(.unexpectedByte(let byte, let index)):
                body(.rejected("byte \(index) is \(byte)"))
            case .failure(.checksum(let expected, let found)):
                body(.rejected("checksum \(found), not \(expected)"))
            }
        }
    }

    package func commands(for act: SensorAct) -> [SensorCommand] {
        switch act {
        case .wake:
            [
                Self.command("work", .setState(.work), reply: "6 1 1"),
                Self.command("report by itself", .setReportMode(.active), reply: "2 1 0"),
                Self.command("work without pauses", .setWorkingPeriod(minutes: 0), reply: "8 1 0"),
            ]
        case .measure: []  // It streams.
        case .rest: [Self.command("sleep", .setState(.sleep), reply: "6 1 0")]
        }
    }

    package var questions: [SensorCommand] {
        [
            SensorCommand(
                "read firmware",
                SDS011Command.firmware.bytes(),
                reply: "firmware",
                isReadOnly: true
            ),
            // Asleep it answers nothing else.
            SensorCommand(
                "read state",
                SDS011Command.getState.bytes(),
                reply: "state",
                isReadOnly: true
            ),
        ]
    }

    private static func command(
        _ name: String,
        _ command: SDS011Command,
        reply: String
    ) -> SensorCommand {
        SensorCommand(name, command.bytes(), reply: reply)
    }

    /// All zeros come after a wake; see `SDS011Judge`.
    private static func outcomes(_ measurement: SDS011Measurement) -> [Outcome] {
        [measurement.pm25Tenths, measurement.pm10Tenths].map { tenths in
            measurement == .zero
                ? .noData(.warmingUp) : .value(FixedPoint(Int64(tenths), decimals: 1))
        }
    }

    /// Replies to set commands are named by their bytes: command, set, value.
    private static func utterance(_ reply: SDS011Reply, id: String) -> SensorUtterance {
        // The answer to a question, which is one whatever the state.
        if reply.command == SDS011Command.getState.code, reply.first == 0 {
            let state = reply.second == SDS011State.work.rawValue ? "work" : "sleep"
            return .reply("state", id: id, facts: [Event.Detail("state", state)])
        }
        guard reply.command == SDS011Command.firmware.code else {
            return .reply("\(reply.command) \(reply.first) \(reply.second)", id: id, facts: [])
        }
        let firmware = SDS011Firmware(year: reply.first, month: reply.second, day: reply.third)
        let facts = [Event.Detail("firmware", "\(firmware)")]
        return .reply("firmware", id: id, facts: facts)
    }
}
