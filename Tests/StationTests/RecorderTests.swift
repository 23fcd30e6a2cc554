import Core
import Logging
import Testing

@testable import SimulationKit
@testable import Station

@Suite struct RecorderTests {
    private static func reading(_ device: String, _ outcome: Outcome) -> [Reading] {
        [Reading(Channel(device: device, quantity: .pm25), at: .boot, outcome)]
    }

    /// A driver that ends after its device was forgotten once left a channel behind.
    @Test func theLastWordOfAForgottenDeviceMakesNoChannel() throws {
        let names = try simulate { clock in
            let recorder = Recorder(
                clock: clock,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            var names: [[String]] = []
            let value = Outcome.value(FixedPoint(12, decimals: 1))
            recorder.accept(Self.reading("dust", value))
            recorder.forget("dust")
            recorder.accept(Self.reading("dust", .noData(.unplugged)))
            names.append(recorder.channels.map(\.channel.device))
            recorder.expect("dust")
            recorder.accept(Self.reading("dust", value))
            names.append(recorder.channels.map(\.channel.device))
            return names
        }
        #expect(names == [[], ["dust"]])
    }

    @Test func aRenamedDeviceLeavesNoChannelBehind() throws {
        let names = try simulate { clock in
            let recorder = Recorder(
                clock: clock,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            let value = Outcome.value(FixedPoint(12, decimals: 1))
            recorder.accept(Self.reading("dust", value))
            recorder.accept(Self.reading("attic", value))
            recorder.rename("dust", to: "attic")
            return recorder.channels.map(\.channel.device)
        }
        #expect(names == ["attic"])
    }
}
