import HardwareIO

/// Values that an adapter must have, under udev's names; every key that is given must match.
///
/// A match is a claim: it says which adapter, never which sensor is behind it.
package struct ProfileMatch: Hashable, Sendable {
    /// Four hexadecimal digits, lower case.
    package let vendorID: String
    package let productID: String
    /// `ID_SERIAL_SHORT`, with `*` for any number of characters; nil for any.
    package let serial: String?
    /// `ID_MODEL` likewise.
    package let model: String?
    /// `ID_USB_INTERFACE_NUM`: two hexadecimal digits.
    package let interface: String?

    package init(
        vendorID: String,
        productID: String,
        serial: String? = nil,
        model: String? = nil,
        interface: String? = nil
    ) {
        self.vendorID = vendorID
        self.productID = productID
        self.serial = serial
        self.model = model
        self.interface = interface
    }
}

extension ProfileMatch {
    /// Whether every given key agrees with udev's properties.
    package func agrees(with device: HotplugDevice) -> Bool {
        func says(_ key: String, _ wanted: String?) -> Bool {
            guard let wanted else { return true }
            return device.properties[key].map { Glob.matches($0, wanted) } ?? false
        }
        return device.properties["ID_VENDOR_ID"]?.lowercased() == vendorID
            && device.properties["ID_MODEL_ID"]?.lowercased() == productID
            && says("ID_SERIAL_SHORT", serial) && says("ID_MODEL", model)
            && says("ID_USB_INTERFACE_NUM", interface)
    }

    /// A serial number says more than a model, a model more than an interface, all of it more than
    /// a pattern.
    var rank: Int {
        func weight(_ pattern: String?, _ whole: Int) -> Int {
            guard let pattern else { return 0 }
            return pattern.contains("*") ? whole - 1 : whole
        }
        return weight(serial, 16) + weight(model, 6) + weight(interface, 2)
    }

    /// Whether an adapter can fit both and neither of them better.
    func meets(_ other: ProfileMatch) -> Bool {
        func meet(_ left: String?, _ right: String?) -> Bool {
            guard let left, let right else { return true }
            return Glob.meet(left, right)
        }
        return vendorID == other.vendorID && productID == other.productID && rank == other.rank
            && meet(serial, other.serial) && meet(model, other.model)
            && meet(interface, other.interface)
    }

    /// Description for people: `1a86:7523 with serial 00*`.
    package var text: String {
        let more = [("serial", serial), ("model", model), ("interface", interface)]
            .compactMap { key, value in value.map { "\(key) \($0)" } }
        return "\(vendorID):\(productID)"
            + (more.isEmpty ? "" : " with " + more.joined(separator: ", "))
    }
}
