import FoundationEssentials
import Testing

@testable import Devices

/// `sds011-frames.json`, as it is written.
struct SDS011FrameFixture: Decodable {
    struct Frame: Decodable {
        let name: String
        let hex: String
        let dir: String
        let pm25: Double?
        let pm10: Double?
        let firmware: String?
        let device: String?

        var bytes: [UInt8] { get throws { try #require(SDS011Recording.bytes(hex: hex)) } }
    }

    struct Stream: Decodable {
        let name: String
        let hex: String
        let expect: String
        let validFrames: [String]

        enum CodingKeys: String, CodingKey {
            case name, hex, expect
            case validFrames = "valid_frames"
        }

        var bytes: [UInt8] { get throws { try #require(SDS011Recording.bytes(hex: hex)) } }
    }

    let frames: [Frame]
    let streams: [Stream]

    static func load() throws -> SDS011FrameFixture {
        try JSONDecoder().decode(Self.self, from: Fixture.data("sds011-frames.json"))
    }

    var fromSensor: [Frame] { frames.filter { $0.dir == "sensor>host" } }
    var fromHost: [Frame] { frames.filter { $0.dir == "host>sensor" } }
}
