import ControlProtocol
import Devices
import HardwareIO
import Profiles

/// How a part is to be used.
enum BusChoice: Hashable {
    /// By the kernel's driver, under this name.
    case kernel(name: String, Profile)
    /// Without a driver.
    case direct(Profile)

    /// Finds out what a person means.
    ///
    /// - Parameters:
    ///   - text: The kernel's name of a part or a profile's id; nil takes what a look says.
    ///   - address: Where the part is.
    ///   - part: What a look saw there; nil for nothing.
    /// - Throws: `ControlFailure` where that does not name one part.
    init(
        _ text: String?,
        at address: UInt8,
        _ part: BusReport.Part?,
        _ profiles: [Profile]
    ) throws(ControlFailure) {
        guard let text else {
            let candidates = part?.looksLike ?? []
            guard candidates.count <= 1 else {
                throw ControlFailure(
                    code: .conflict,
                    message: "several parts have this address: \(BusText.names(candidates)); say "
                        + "which: --as \(BusText.choices(candidates))",
                    pointer: "/name",
                    .busWhich
                )
            }
            guard let first = candidates.first,
                let profile = profiles.first(where: { $0.id == first.profile })
            else {
                throw ControlFailure(
                    code: .notFound,
                    message: "nothing known answers there; look at the wires, or say what it is: "
                        + "--as bme280",
                    pointer: "/address",
                    .busNothing
                )
            }
            self = try Self.usual(profile, at: address)
            return
        }
        if let profile = profiles.first(where: { $0.id == text }) {
            self = try Self.usual(profile, at: address)
            return
        }
        let named = profiles.first { $0.i2c?.names.contains(text) == true }
        guard let named else {
            let known = profiles.flatMap { $0.i2c?.names ?? [] }
            let meant = Spelling.nearest(to: text, among: known).map { "; did you mean \($0)?" }
            throw ControlFailure(
                code: .badRequest,
                message: "no profile has a part \(text)" + (meant ?? ""),
                pointer: "/name",
                .busName
            )
        }
        self = .kernel(name: text, named)
    }

    private static func usual(
        _ profile: Profile,
        at address: UInt8
    ) throws(ControlFailure) -> BusChoice {
        if let name = profile.i2c?.names.first { return .kernel(name: name, profile) }
        guard profile.driver == "i2c-sensor" else {
            let line = profile.overlay.map { "; write \($0) into config.txt" } ?? ""
            throw ControlFailure(
                code: .badRequest,
                message: "\(profile.id) is no part on I²C" + line,
                pointer: "/name",
                .busName
            )
        }
        // A profile without addresses is an owner's own, who knows where the part is.
        if let addresses = profile.i2c?.addresses, !addresses.contains(address) {
            let places = addresses.map { BusPart.text($0) }.joined(separator: " or ")
            throw ControlFailure(
                code: .badRequest,
                message: "\(profile.id) is at \(places), not at \(BusPart.text(address))",
                pointer: "/address"
            )
        }
        return .direct(profile)
    }
}
