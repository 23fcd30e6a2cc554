/// Where the station has a device from; the raw value is what reports say.
enum DeviceOrigin: String, Sendable {
    /// Configuration file; only an edit of the file can change the device.
    case file
    /// A person added it while the station ran.
    case owner
    /// It was plugged in and detected.
    case found
}
