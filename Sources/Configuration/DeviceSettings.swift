import Core
import Devices
import HardwareIO
import Profiles

/// `deviceSettings` of a file: what it says of devices by their names, found or configured.
///
///     {"dust": {"title": "Balkon", "record": false, "intervalSeconds": 600}}
struct DeviceSettings {
    private(set) var titles: [String: String] = [:]
    private(set) var unrecorded: Set<String> = []
    private(set) var intervals: [String: Duration] = [:]
    /// The keys that are set, by device.
    private(set) var keys: [String: Set<String>] = [:]

    fileprivate mutating func read(_ name: String, _ reader: inout ObjectReader) {
        titles[name] = reader.title("title")
        if reader.bool("record") == false { unrecorded.insert(name) }
        // A device on the network may be asked each second, a sensor not.
        let range =
            LineFormat.askedInterval.lowerBound...SensorConfiguration.periodRange.upperBound
        intervals[name] = reader.seconds("intervalSeconds", in: range)
        keys[name] = Set(["title", "record", "intervalSeconds"].filter { reader.has($0) })
        reader.finish()
    }
}

extension ObjectReader {
    /// Reads `deviceSettings`; empty without.
    mutating func deviceSettings(_ problems: ProblemList) -> DeviceSettings {
        var settings = DeviceSettings()
        let place = path("deviceSettings")
        guard let value = value("deviceSettings"),
            ObjectReader(value, at: place, problems) != nil, case .object(let devices) = value
        else { return settings }
        guard devices.count <= StationOverlay.deviceLimit else {
            problem("deviceSettings", "at most \(StationOverlay.deviceLimit) devices")
            return settings
        }
        for (name, value) in devices.sorted(by: { $0.key < $1.key }) {
            let place = "\(place).\(name)"
            guard PlainName.fits(name) else {
                problems.add(place, "expected \(PlainName.form) as its name")
                continue
            }
            guard var reader = ObjectReader(value, at: place, problems) else { continue }
            settings.read(name, &reader)
        }
        return settings
    }
}
