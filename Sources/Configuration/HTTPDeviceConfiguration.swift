import Core
import Devices
import HardwareIO
import Profiles

/// One device on the local network that answers with a line of values.
package struct HTTPDeviceConfiguration: Hashable, Sendable {
    /// A profile's id, as in the configuration.
    package let type: String
    package let profile: Profile
    package private(set) var target: HTTPTarget
    /// 1…3 600 s from one request to the next, in every mode; the default is the profile's.
    package private(set) var interval: Duration
    package let format: LineFormat
    package var quantities: [Quantity] { format.quantities }

    func every(_ interval: Duration) -> HTTPDeviceConfiguration {
        var device = self
        device.interval = interval
        return device
    }

    func confined(to reach: AddressGuard.Reach) -> HTTPDeviceConfiguration {
        var device = self
        device.target.reach = reach
        return device
    }
}

extension HTTPDeviceConfiguration {
    /// Reads the configuration of an HTTP device.
    ///
    /// - Parameters:
    ///   - profile: The profile of its type.
    init?(_ reader: inout ObjectReader, type: String, profile: Profile) {
        let target = reader.target("address")
        let interval = reader.seconds("intervalSeconds", in: LineFormat.askedInterval)
        let format: LineFormat
        do throws(DialectError) { format = try LineFormat(profile) } catch {
            for problem in error.problems { reader.problem("type", "\(type): \(problem)") }
            return nil
        }
        guard let target else { return nil }
        (self.type, self.profile, self.target) = (type, profile, target)
        self.interval = interval ?? format.interval
        self.format = format
    }
}

extension ObjectReader {
    /// Reads a device's address, which must be in the local network as far as it shows.
    fileprivate mutating func target(_ key: String) -> HTTPTarget? {
        guard let text = required(key) else { return nil }
        guard let target = HTTPTarget(text) else {
            // A password is not repeated: messages stand in logs and on pages.
            problem(
                key,
                text.contains("@")
                    ? "an address holds no name and password"
                    : "expected http://name:port/path, found \"\(text.prefix(80))\""
            )
            return nil
        }
        if let address = target.address, !AddressGuard.admits(address) {
            problem(key, "\(target.host) is not on the local network, and no other is asked")
            return nil
        }
        return target
    }
}
