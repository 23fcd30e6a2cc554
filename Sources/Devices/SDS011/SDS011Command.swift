/// Whether the part speaks by itself.
package enum SDS011ReportMode: UInt8, Hashable, Sendable, CaseIterable {
    /// One measurement a second.
    case active = 0
    /// A measurement when asked.
    case query = 1
}

/// Whether laser and fan run.
package enum SDS011State: UInt8, Hashable, Sendable, CaseIterable {
    case sleep = 0
    case work = 1
}

/// Commands to an SDS011: a frame of 19 bytes, `AA B4 cmd … id id cs AB`.
///
/// - Source: Nova Fitness, *Laser Dust Sensor Control Protocol V1.3*.
enum SDS011Command: Hashable, Sendable {
    case getReportMode
    case setReportMode(SDS011ReportMode)
    case query
    case setDeviceID(SDS011DeviceID)
    case getState
    case setState(SDS011State)
    case firmware
    case getWorkingPeriod
    /// 0 works continuously; n works 30 s of every n minutes, 1…30.
    case setWorkingPeriod(minutes: UInt8)

    static let byteCount = 19
    static let mark: UInt8 = 0xB4
    static let workingPeriodMax: UInt8 = 30

    /// Byte 2 of the frame.
    var code: UInt8 {
        switch self {
        case .getReportMode, .setReportMode: 0x02
        case .query: 0x04
        case .setDeviceID: 0x05
        case .getState, .setState: 0x06
        case .firmware: 0x07
        case .getWorkingPeriod, .setWorkingPeriod: 0x08
        }
    }

    /// The value a set command carries, or nil for a question.
    private var setting: UInt8? {
        switch self {
        case .getReportMode, .query, .setDeviceID, .getState, .firmware, .getWorkingPeriod: nil
        case .setReportMode(let mode): mode.rawValue
        case .setState(let state): state.rawValue
        case .setWorkingPeriod(let minutes): minutes
        }
    }

    /// Frame that sends this command to one part, or to every part on the line.
    func bytes(to id: SDS011DeviceID = .everyone) -> [UInt8] {
        var content = [UInt8](repeating: 0, count: 15)
        content[0] = code
        if let setting {
            precondition(code != 0x08 || setting <= Self.workingPeriodMax, "a period is 0…30 min")
            content[1] = 1
            content[2] = setting
        }
        if case .setDeviceID(let new) = self { content.replaceSubrange(11...12, with: new.bytes) }
        content.replaceSubrange(13...14, with: id.bytes)
        return [SDS011Frame.head, Self.mark] + content
            + [content.reduce(0, &+), SDS011Frame.tail]
    }

    /// Whether a frame answers this command: the right command, get or set, id and value.
    func isAnswered(
        by frame: SDS011Frame,
        to id: SDS011DeviceID = .everyone
    ) -> Bool {
        if case .setDeviceID(let new) = self {
            guard case .reply(let reply, new) = frame else { return false }
            return reply.command == code
        }
        guard id == .everyone || frame.deviceID == id else { return false }
        switch (self, frame) {
        case (.query, .measurement): return true
        case (.query, .reply), (_, .measurement): return false
        case (.firmware, .reply(let reply, _)): return reply.command == code
        case (_, .reply(let reply, _)):
            guard reply.command == code else { return false }
            guard let setting else { return reply.first == 0 }
            return reply.first == 1 && reply.second == setting
        }
    }

    /// Reads a command as the part does; nil for what the part ignores.
    ///
    /// - Parameter frame: 19 bytes.
    init?(frame: ArraySlice<UInt8>) {
        guard frame.count == Self.byteCount else { return nil }
        let byte = Array(frame)
        guard byte[0] == SDS011Frame.head, byte[1] == Self.mark, byte[18] == SDS011Frame.tail,
            byte[17] == byte[2...16].reduce(0, &+)
        else { return nil }
        switch (byte[2], byte[3]) {
        case (0x02, 0): self = .getReportMode
        case (0x02, 1):
            guard let mode = SDS011ReportMode(rawValue: byte[4]) else { return nil }
            self = .setReportMode(mode)
        case (0x04, _): self = .query
        case (0x05, _): self = .setDeviceID(SDS011DeviceID(byte[13], byte[14]))
        case (0x06, 0): self = .getState
        case (0x06, 1):
            guard let state = SDS011State(rawValue: byte[4]) else { return nil }
            self = .setState(state)
        case (0x07, _): self = .firmware
        case (0x08, 0): self = .getWorkingPeriod
        case (0x08, 1) where byte[4] <= Self.workingPeriodMax:
            self = .setWorkingPeriod(minutes: byte[4])
        default: return nil
        }
    }
}
