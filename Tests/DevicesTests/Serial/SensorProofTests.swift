import HardwareIO
import Testing

@testable import Core
@testable import Devices

@Suite struct SensorProofTests {
    /// Dialect of a part that sends its id in one byte, and 0 for an invalid frame.
    struct OneByte: SensorDialect {
        let quantities = [Quantity.pm25]
        let rhythm = SensorRhythm.streams(every: .seconds(1))
        let missingByteCount = 1
        let questions = [
            SensorCommand("name", [1], reply: "name", isReadOnly: true), SensorCommand("wake", [2]),
        ]

        mutating func decode(_ bytes: Span<UInt8>, _ body: (SensorUtterance) -> Void) {
            for index in 0..<bytes.count {
                switch bytes[index] {
                case 0: body(.rejected("zero"))
                case 255: body(.reply("name", id: "n", facts: []))
                case let id: body(.measurement([.value(1)], id: "\(id)"))
                }
            }
        }

        func commands(for act: SensorAct) -> [SensorCommand] { [] }
    }

    @Test(arguments: [([7, 7], "7"), ([7, 0, 7], "7"), ([7, 8, 8], "8")] as [([UInt8], String)])
    func takesTwoMeasurementsOfOnePartForProof(bytes: [UInt8], id: String) {
        var proof = SensorProof(OneByte())
        let evidence = bytes.compactMap { proof.hear([$0]) }
        #expect(evidence.map(\.id) == [id])
    }

    @Test(arguments: [[7], [7, 8], [0, 0, 0], [255, 255]] as [[UInt8]])
    func isNotSatisfiedByLess(bytes: [UInt8]) {
        var proof = SensorProof(OneByte())
        #expect(proof.hear(bytes) == nil)
    }

    @Test func takesTheReplyToAQuestionForProof() {
        var proof = SensorProof(OneByte())
        let question = SensorProof(OneByte()).questions[0]
        #expect(proof.hear([255], after: question)?.id == "n")
    }

    @Test func asksOnlyWhatChangesNothing() {
        #expect(SensorProof(OneByte()).questions.map(\.name) == ["name"])
    }
}
