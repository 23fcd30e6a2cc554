import Devices
import HardwareIO
import Profiles

package struct LightsConfiguration: Hashable, Sendable {
    package enum Output: Hashable, Sendable {
        /// Three lines of one chip: red, yellow, green.
        case lines(chip: String?, [LineRequest.Line], isActiveLow: Bool)
        /// A file, FIFO or terminal that gets one letter per change.
        case letters(path: String)
    }

    package let output: Output
    /// The sensor that decides; nil is the first dust sensor.
    package let follows: String?
}

extension LightsConfiguration {
    init?(_ reader: ObjectReader, _ profile: Profile?, _ board: Profile?) {
        var reader = reader
        defer { reader.finish() }
        follows = reader.string("follows")
        if let path = reader.absolutePath("output") {
            output = .letters(path: path)
            return
        }
        // The pins of the ready-made traffic light, as it plugs on; SPI0 uses them too.
        var settings = TrafficLightSettings()
        profile?.readSettings { settings.read(&$0) }
        settings.read(&reader)
        let lines = [settings.red, settings.yellow, settings.green]
        output = .lines(
            chip: reader.string("chip") ?? board?.chip(of: lines),
            lines,
            isActiveLow: settings.isActiveLow
        )
    }
}
