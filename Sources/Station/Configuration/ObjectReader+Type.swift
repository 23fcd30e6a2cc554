import Profiles

extension ObjectReader {
    /// Adds the problem that no profile has a device's `type`: the mistakes of its file, or the
    /// known types.
    func noProfile(_ type: String, among all: [Profile], _ error: ConfigurationError?) {
        if let error {
            for mistake in error.problems {
                problem("type", "\(type) is not usable, \(error.file): \(mistake)")
            }
            return
        }
        let kinds: [Profile.Kind] = [.usbSerial, .http]
        let found = all.filter { kinds.contains($0.kind) }.map(\.id)
        let known = (found + ["button", "led", "pir"]).sorted()
        problem(
            "type",
            "expected one of \(known.joined(separator: ", ")), found \"\(type)\"",
            meant: Spelling.nearest(to: type, among: known)
        )
    }
}
