import Core
import HardwareIO
import Profiles

/// Spoilt profiles: no crash, and none is taken in part.
package final class ProfileFuzz: FuzzWorkload {
    package let name = "reader"
    package private(set) var takenCount = 0
    private let reader = ProfileReader()

    package init() {}

    package func fault(seed: UInt64) throws -> String? {
        let files = ShippedProfiles.files
        let file = files[Int(seed % UInt64(files.count))]
        let original = try file.contents.get()
        var mutator = ProfileMutator(seed: seed)
        let bytes =
            seed / UInt64(files.count) % 2 == 0
            ? mutator.mutate(original)
            : Array(mutator.mutate(try JSONParser.parse(original)).text.utf8)
        let isSound: Bool
        do throws(ConfigurationError) {
            isSound = Self.isSound(try reader.read(bytes, file: file.path))
            takenCount += 1
        } catch { isSound = !error.problems.isEmpty && error.file == file.path }
        return isSound ? nil : "taken in part, or refused without a reason: \(Self.text(bytes))"
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Whether a profile has the properties of every accepted one.
    private static func isSound(_ profile: Profile) -> Bool {
        let names = profile.channels.map(\.quantity.name)
        let hasDriver = profile.driver.map { ProfileReader.knownDrivers[$0] == profile.kind }
        return !profile.id.isEmpty && !profile.name.isEmpty && !profile.description.isEmpty
            && names.count <= ProfileReader.channelLimit && Set(names).count == names.count
            && profile.channels.allSatisfy { MeasureUnit.known.contains($0.quantity.unit) }
            && profile.matches.count <= ProfileReader.matchLimit
            && (profile.kind == .board) == (profile.board != nil)
            && (profile.kind == .usbSerial) == (profile.probe != nil)
            && (hasDriver ?? (profile.kind == .board))
            && profile.probe?.bauds.isEmpty != true
            && profile.duty.map { $0.warmUp + $0.window <= $0.period } != false
            && profile.board?.header.keys.allSatisfy((1...40).contains) != false
    }
}

/// Spoilt profiles: the schema and the reader refuse the same ones for their form.
package final class SchemaFuzz: FuzzWorkload {
    package let name = "schema"
    package private(set) var takenCount = 0
    private let checker: SchemaChecker
    private let originals: [JSONValue]

    /// - Parameter more: Profiles besides those that are shipped.
    /// - Throws: `ConfigurationError` for the shipped files themselves.
    package init(_ more: [JSONValue] = []) throws {
        checker = SchemaChecker(try JSONParser.parse(ShippedProfiles.schema))
        originals =
            try ShippedProfiles.files.map { try JSONParser.parse(try $0.contents.get()) } + more
    }

    package func fault(seed: UInt64) -> String? {
        var mutator = ProfileMutator(seed: seed)
        let value = mutator.mutate(originals[Int(seed % UInt64(originals.count))])
        if checker.refusals(of: value).isEmpty { takenCount += 1 }
        return disagreement(about: value).map { "\($0): \(value.text)" }
    }

    /// Reasons that go across places or need to know more than a schema can.
    private static let beyondSchema = [
        "differs from the file's name", "is the name of channels[", "is shorter than warm-up",
        "its lowest value is not below", "is no driver", "is for kind",
    ]

    /// How reader and schema disagree about a value; nil when they agree.
    func disagreement(about value: JSONValue) -> String? {
        let refusals = checker.refusals(of: value)
        var id = ""
        if case .object(let fields) = value, case .string(let text)? = fields["id"] { id = text }
        do throws(ConfigurationError) {
            _ = try ProfileReader().read(Array(value.text.utf8), file: "\(id).json")
            return refusals.isEmpty ? nil : "the reader takes what the schema refuses: \(refusals)"
        } catch {
            guard refusals.isEmpty else { return nil }
            let formal = error.problems.filter { problem in
                !Self.beyondSchema.contains { problem.message.contains($0) }
            }
            return formal.isEmpty ? nil : "the schema takes what the reader refuses: \(formal)"
        }
    }
}
