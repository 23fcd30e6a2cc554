import Core
import HardwareIO

/// How fast the decoder is, on a stream of good frames with some noise between.
package enum SDS011DecoderBenchmark {
    package struct Figures: Hashable, Sendable {
        package let byteCount: Int
        package let frameCount: Int
        package let duration: Duration

        package var megabytesPerSecond: Double { Double(byteCount) / duration.inSeconds / 1e6 }
    }

    /// The stream: frames of a drifting day; after every 97th, three bytes of noise.
    package static func stream(frameCount: Int) -> [UInt8] {
        var air = SDS011AirState(.drifting(seed: 1))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(frameCount * SDS011Frame.byteCount + frameCount / 30)
        for index in 0..<frameCount {
            let measurement = air.measurement(at: .boot)
            bytes += SDS011Frame.measurement(measurement, from: SDS011DeviceID(0xA1, 0x60)).bytes
            if index % 97 == 96 { bytes += [0xAA, 0x00, 0xAB] }
        }
        return bytes
    }

    /// Decodes `stream` so many times, `chunk` bytes a call.
    ///
    /// - Parameters:
    ///   - repeats: How many times, ≥ 1.
    ///   - chunk: Bytes a call, ≥ 1; a serial line gives a few, a pseudo-terminal 4 096.
    ///   - clock: A real clock, or the duration means nothing.
    /// - Returns: Result of the measurement.
    package static func run(
        _ stream: [UInt8],
        repeats: Int,
        chunk: Int = 4_096,
        clock: any NodeClock
    ) -> Figures {
        precondition(repeats >= 1 && chunk >= 1)
        var decoder = SDS011Decoder()
        var frameCount = 0
        let start = clock.now
        for _ in 0..<repeats {
            var index = 0
            while index < stream.count {
                let end = min(index + chunk, stream.count)
                decoder.decode(stream.span.extracting(index..<end)) { result in
                    if case .success = result { frameCount += 1 }
                }
                index = end
            }
        }
        return Figures(
            byteCount: stream.count * repeats,
            frameCount: frameCount,
            duration: start.duration(to: clock.now)
        )
    }
}
