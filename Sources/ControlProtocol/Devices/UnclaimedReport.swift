/// An adapter without a configured port and without an adopted device.
package struct UnclaimedReport: Codable, Hashable, Sendable {
    package let node: String
    package let vendorID: String?
    package let productID: String?
    package let serial: String?
    package let path: String

    package init(
        node: String,
        vendorID: String?,
        productID: String?,
        serial: String?,
        path: String
    ) {
        self.node = node
        self.vendorID = vendorID
        self.productID = productID
        self.serial = serial
        self.path = path
    }
}
