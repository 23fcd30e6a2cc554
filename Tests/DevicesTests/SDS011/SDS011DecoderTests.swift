import FoundationEssentials
import HardwareIO
import Testing

@testable import Core
@testable import Devices

@Suite struct SDS011DecoderTests {
    @Test func passesTheVerifierWithEveryRecordedFrame() throws {
        let fixture = try SDS011FrameFixture.load()
        let samples = try fixture.fromSensor.map { frame in
            var decoder = SDS011Decoder()
            let results = decoder.decode(try frame.bytes)
            #expect(results.count == 1)
            let decoded = try #require(results.first).get()
            #expect(decoded.bytes == (try frame.bytes))
            return DecoderVerifier<SDS011Decoder>.Sample(bytes: try frame.bytes, frame: decoded)
        }
        #expect(samples.count == 20)
        DecoderVerifier<SDS011Decoder>(
            samples: samples,
            garbage: [
                [0], [0x4D, 0x28, 0x10, 0x92, 0xFA], [0xAD, 0x50, 0x10, 0x5E, 0xDD], [0xAB],
            ]
        ).verify()
    }

    @Test func readsTheListedValuesOfEveryFrame() throws {
        for frame in try SDS011FrameFixture.load().fromSensor {
            var decoder = SDS011Decoder()
            let decoded = try #require(decoder.decode(try frame.bytes).first).get()
            if let device = frame.device { #expect(decoded.deviceID.description == device) }
            if let pm25 = frame.pm25, let pm10 = frame.pm10 {
                guard case .measurement(let measurement, _) = decoded else {
                    Issue.record("\(frame.name) is no measurement")
                    continue
                }
                #expect(Int(measurement.pm25Tenths) == Int((pm25 * 10).rounded()))
                #expect(Int(measurement.pm10Tenths) == Int((pm10 * 10).rounded()))
            }
            if let text = frame.firmware {
                guard case .reply(let reply, _) = decoded else {
                    Issue.record("\(frame.name) is no reply")
                    continue
                }
                let firmware = SDS011Firmware(
                    year: reply.first,
                    month: reply.second,
                    day: reply.third
                )
                #expect(firmware.description == text)
            }
        }
    }

    @Test func findsTheListedFramesInEveryStream() throws {
        let streams = try SDS011FrameFixture.load().streams
        #expect(streams.count == 10)
        for stream in streams {
            for pieces in [[try stream.bytes], try stream.bytes.map { [$0] }] {
                var decoder = SDS011Decoder()
                let results = pieces.flatMap { decoder.decode($0) }
                let frames = results.compactMap { try? $0.get() }.map(\.bytes)
                let listed = try stream.validFrames.map {
                    try #require(SDS011Recording.bytes(hex: $0))
                }
                #expect(frames == listed, "\(stream.name)")
            }
        }
    }

    @Test(arguments: [
        ("junk before a firmware reply", 5, 0, 10),
        ("five stray bytes on wake from sleep", 5, 0, 10),
        ("active stream joined in mid-frame, two 10-byte reads", 7, 0, 7),
        ("header hidden in garbage", 1, 1, 10),
        ("payload contains AA C0", 0, 0, 10),
        ("checksum error then good frame", 10, 1, 10),
    ])
    func skipsRejectsAndKeepsAsListed(
        name: String,
        skipped: Int,
        rejected: Int,
        missing: Int
    ) throws {
        let stream = try #require(
            try SDS011FrameFixture.load().streams.first { $0.name == name }
        )
        var decoder = SDS011Decoder()
        _ = decoder.decode(try stream.bytes)
        #expect(decoder.skippedByteCount == skipped)
        #expect(decoder.rejectedCount == rejected)
        #expect(decoder.missingByteCount == missing)
    }

    @Test func readsTheRecordedCaptureAsListed() throws {
        let recording = try SDS011Recording(hexDump: Fixture.text("SDS01x.hexdump"))
        #expect(recording.pieces.count == 10)
        var decoder = SDS011Decoder()
        let values = recording.pieces.flatMap { decoder.decode($0) }.map { result in
            guard case .success(.measurement(let measurement, let id)) = result else { return "?" }
            #expect(id == SDS011DeviceID(0x58, 0xD9))
            return [measurement.pm25Tenths, measurement.pm10Tenths]
                .map { FixedPoint(Int64($0), decimals: 1).description }.joined(separator: ", ")
        }
        let listed = try Fixture.text("SDS01x.csv").split(separator: "\n").dropFirst()
            .map { $0.split(separator: ",").dropFirst().joined(separator: ",").dropFirst() }
        #expect(values == listed.map(String.init))
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func agreesWithASlowDecoderOnNoise(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var stream: [UInt8] = []
        while stream.count < 100_000 { stream += Self.noise(&generator) }
        var reference = ReferenceDecoder()
        let expected = reference.decode(stream)
        var decoder = SDS011Decoder()
        var found: [SDS011Decoder.Decoded] = []
        var rest = stream[...]
        while !rest.isEmpty {
            let count = min(rest.count, Int.random(in: 1...40, using: &generator))
            found += decoder.decode(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        #expect(found == expected)
        #expect(decoder.frameCount > 1_000)
        #expect(decoder.rejectedCount > 1_000)
        #expect(
            decoder.frameCount * 10 + decoder.skippedByteCount
                + (10 - decoder.missingByteCount) == stream.count
        )
    }

    /// A good frame, a spoiled one, a cut one, or noise thick with heads and marks.
    private static func noise(_ generator: inout SplitMix64) -> [UInt8] {
        let measurement = SDS011Measurement(
            pm25Tenths: .random(in: 0...9_999, using: &generator),
            pm10Tenths: .random(in: 0...19_999, using: &generator)
        )
        var bytes = SDS011Frame.measurement(measurement, from: SDS011DeviceID(0xAA, 0xC0)).bytes
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return bytes
        case 1:
            bytes[Int.random(in: 0..<10, using: &generator)] = UInt8(
                truncatingIfNeeded: generator.next()
            )
            return bytes
        case 2: return Array(bytes.prefix(Int.random(in: 0..<10, using: &generator)))
        case 3:
            return SDS011Frame.reply(
                SDS011Reply(command: 0xAA, 0xC5, 0xAB, 0xAA),
                from: SDS011DeviceID(0xC0, 0xAB)
            ).bytes
        default:
            return (0..<7).map { _ in
                [0xAA, 0xC0, 0xC5, 0xAB, 0x00].randomElement(using: &generator) ?? 0
            }
        }
    }
}

/// The same rules, slow and obvious: look at every position of the whole stream.
private struct ReferenceDecoder {
    mutating func decode(_ stream: [UInt8]) -> [SDS011Decoder.Decoded] {
        var results: [SDS011Decoder.Decoded] = []
        var index = 0
        while index < stream.count {
            guard stream[index] == 0xAA, index + 1 < stream.count else {
                index += 1
                continue
            }
            guard [0xC0, 0xC5].contains(stream[index + 1]) else {
                results.append(.failure(.unexpectedByte(stream[index + 1], at: 1)))
                index += 1
                continue
            }
            guard index + 10 <= stream.count else { return results }
            let frame = Array(stream[index..<index + 10])
            let sum = UInt8(truncatingIfNeeded: frame[2...7].reduce(0) { $0 + Int($1) })
            if frame[9] != 0xAB {
                results.append(.failure(.unexpectedByte(frame[9], at: 9)))
                index += 1
            } else if frame[8] != sum {
                results.append(.failure(.checksum(expected: sum, found: frame[8])))
                index += 1
            } else {
                results.append(.success(Self.meaning(of: frame)))
                index += 10
            }
        }
        return results
    }

    private static func meaning(of frame: [UInt8]) -> SDS011Frame {
        let id = SDS011DeviceID(frame[6], frame[7])
        guard frame[1] == 0xC0 else {
            return .reply(SDS011Reply(command: frame[2], frame[3], frame[4], frame[5]), from: id)
        }
        let pm25 = Int(frame[2]) + 256 * Int(frame[3])
        let pm10 = Int(frame[4]) + 256 * Int(frame[5])
        return .measurement(
            SDS011Measurement(pm25Tenths: UInt16(pm25), pm10Tenths: UInt16(pm10)),
            from: id
        )
    }
}
