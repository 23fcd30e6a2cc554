import Core
import HardwareIO

/// How an SDS011 talks; the SDS018 and the SDS021 do the same.
///
/// - Source: Nova Fitness, *Laser Dust Sensor Control Protocol V1.3*.
package struct SDS011Dialect: SensorDialect {
    package let quantities = [Quantity.pm25, .pm10]
    package let rhythm = SensorRhythm.streams(every: .seconds(1))
    private var decoder = SDS011Decoder()
    /// Whom commands for acts are for.
    private var addressee = SDS011DeviceID.everyone
    /// The part that spoke last; its name is on each frame and made once.
    private var speaker: (id: SDS011DeviceID, name: String)?

    package init() {}

    package var missingByteCount: Int { decoder.missingByteCount }

    package mutating func decode(_ bytes: Span<UInt8>, _ body: (SensorUtterance) -> Void) {
        var speaker = speaker
        func name(_ id: SDS011DeviceID) -> String {
            if let speaker, speaker.id == id { return speaker.name }
            let name = id.description
            speaker = (id, name)
            return name
        }
        decoder.decode(bytes) { result in
            switch result {
            case .success(.measurement(let measurement, let id)):
                body(.measurement(Self.outcomes(measurement), id: name(id)))
            case .success(.reply(let reply, let id)): body(Self.utterance(reply, id: name(id)))
            case .failure(.unexpectedByte(let byte, let index)):
                body(.rejected("byte \(index) is \(byte)"))
            case .failure(.checksum(let expected, let found)):
                body(.rejected("checksum \(found), not \(expected)"))
            }
        }
        self.speaker = speaker
    }

    package func commands(for act: SensorAct) -> [SensorCommand] {
        switch act {
        case .wake: [command("work", .setState(.work), reply: "6 1 1")]
        case .measure:
            [SensorCommand("ask", SDS011Command.query.bytes(to: addressee), isReadOnly: true)]
        case .rest: [command("sleep", .setState(.sleep), reply: "6 1 0")]
        }
    }

    package var reportModes: ReportModes? {
        let period = command("work without pauses", .setWorkingPeriod(minutes: 0), reply: "8 1 0")
        return ReportModes(
            streaming: [
                command("report by itself", .setReportMode(.active), reply: "2 1 0"), period,
            ],
            answering: [
                command("report when asked", .setReportMode(.query), reply: "2 1 1"), period,
            ]
        )
    }

    package var stateProbe: StateProbe? {
        StateProbe(Self.readState, running: [Fact("state", "work")])
    }

    /// An id that is not one of an SDS011 addresses no part, so none answers.
    package mutating func address(_ id: String) -> String {
        guard let number = SDS011DeviceID(id) else { return id }
        addressee = number
        return number.description
    }

    package var questions: [SensorCommand] {
        let firmware = SDS011Command.firmware.bytes()
        return [
            SensorCommand("read firmware", firmware, reply: "firmware", isReadOnly: true),
            // Asleep it answers nothing else.
            Self.readState,
        ]
    }

    private static let readState = SensorCommand(
        "read state",
        SDS011Command.getState.bytes(),
        reply: "state",
        isReadOnly: true
    )

    /// - Source: the 1 Hz day of two real SDS011 and two real days at 145 s hold no pair three
    ///   times in a row at such distances; the longest run of one pair in the 1 Hz day is 52, and
    ///   the datasheet's response time is 10 s.
    package func doubtLimits(isLive: Bool) -> SensorDoubt.Limits {
        isLive
            ? SensorDoubt.Limits(unchanging: 60, stuck: 600, zeros: 10)
            : SensorDoubt.Limits(unchanging: 3, stuck: 12, zeros: 3)
    }

    /// - Source: datasheet V1.3: service life up to 8 000 h.
    package var ratedLife: Duration? { .hours(8_000) }

    private func command(
        _ name: String,
        _ command: SDS011Command,
        reply: String
    ) -> SensorCommand {
        SensorCommand(name, command.bytes(to: addressee), reply: reply)
    }

    /// All zeros come after a wake (ricki-z/SDS011#40); the top of the range is fog, or a wet or
    /// blocked inlet.
    private static func outcomes(_ measurement: SDS011Measurement) -> [Outcome] {
        guard measurement != .zero else { return [.noData(.warmingUp), .noData(.warmingUp)] }
        let ceiling = SDS011Measurement.ceiling
        let isCeiling =
            measurement.pm25Tenths >= ceiling.pm25Tenths
            || measurement.pm10Tenths >= ceiling.pm10Tenths
        // On the way to the light an empty literal would cost twenty generic functions.
        let quality = isCeiling ? Quality.ceiling : Quality(rawValue: 0)
        return [
            .value(FixedPoint(Int64(measurement.pm25Tenths), decimals: 1), quality),
            .value(FixedPoint(Int64(measurement.pm10Tenths), decimals: 1), quality),
        ]
    }

    /// Replies to set commands are named by their bytes: command, set, value.
    private static func utterance(_ reply: SDS011Reply, id: String) -> SensorUtterance {
        // The answer to a question, which is one whatever the state.
        if reply.command == SDS011Command.getState.code, reply.first == 0 {
            let state = reply.second == SDS011State.work.rawValue ? "work" : "sleep"
            return .reply("state", id: id, facts: [Fact("state", state)])
        }
        guard reply.command == SDS011Command.firmware.code else {
            return .reply("\(reply.command) \(reply.first) \(reply.second)", id: id, facts: [])
        }
        let firmware = SDS011Firmware(year: reply.first, month: reply.second, day: reply.third)
        let facts = [Fact("firmware", "\(firmware)")]
        return .reply("firmware", id: id, facts: facts)
    }
}
