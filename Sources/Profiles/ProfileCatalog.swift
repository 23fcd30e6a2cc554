import HardwareIO

/// All profiles that a station uses: the shipped ones, which an owner's folder can override.
///
/// A broken file is named and left out; it never keeps the others from loading.
package struct ProfileCatalog: Sendable {
    /// The default folder of a station.
    package static let standardFolder = "/etc/roost/profiles.d"
    /// Files of the owner's folder; those behind are refused by name.
    package static let fileLimit = 256

    /// In order of id.
    package let profiles: [Profile]
    /// Files that are left out, and why.
    package let problems: [ConfigurationError]
    /// Notes that are no problems: which shipped profile was replaced.
    package let notes: [String]
    /// Mistakes of unusable profiles, by the id in the file and by the file's name.
    package let broken: [String: ConfigurationError]

    /// Reads all files.
    ///
    /// - Parameters:
    ///   - overlay: Those of the owner, in order of name; one with a shipped id replaces that one.
    ///   - reader: Knows the drivers and checks settings and graphs.
    package init(
        shipped: [ProfileFile] = ShippedProfiles.files,
        overlay: [ProfileFile] = [],
        reader: ProfileReader = ProfileReader()
    ) {
        var draft = CatalogBuilder(reader: reader)
        for file in shipped { draft.add(file, isOverlay: false) }
        for file in overlay.prefix(Self.fileLimit) { draft.add(file, isOverlay: true) }
        for file in overlay.dropFirst(Self.fileLimit) {
            draft.refuse(file.path, "is one file too many: at most \(Self.fileLimit) are read")
        }
        profiles = draft.profiles.values.sorted { $0.id < $1.id }
        (problems, notes) = (draft.problems, draft.notes)
        // A broken file in the place of a shipped one leaves that.
        broken = draft.broken.filter { draft.profiles[$0.key] == nil }
    }

    package func profile(_ id: String) -> Profile? { profiles.first { $0.id == id } }

    /// Profiles of the devices that may be behind an adapter, the most specific first.
    ///
    /// Among equals those that speak by themselves come first: to hear them nothing is written.
    package func candidates(for device: HotplugDevice) -> [Profile] {
        let ranked = profiles.compactMap { profile in
            profile.rank(for: device).map { (rank: $0, profile: profile) }
        }
        return ranked.sorted { left, right in
            if left.rank != right.rank { return left.rank > right.rank }
            let (first, second) = (left.profile, right.profile)
            let (streams, others) = (first.probe?.streams == true, second.probe?.streams == true)
            return streams == others ? first.id < second.id : streams
        }.map(\.profile)
    }

    /// The board that calls itself `model` in its device tree; the general one when none does.
    ///
    /// - Parameter model: `/proc/device-tree/model`, which ends with a zero byte; nil without one.
    /// - Returns: The profile with the longest fitting beginning.
    package func board(model: String?) -> Profile? {
        let text = model.map { $0.prefix { $0 != "\0" && $0 != "\n" } } ?? ""
        let boards = profiles.compactMap { profile -> (length: Int, profile: Profile)? in
            guard let board = profile.board else { return nil }
            if board.models.isEmpty { return (0, profile) }
            let fitting = board.models.filter { text.hasPrefix($0) }.map(\.count)
            return fitting.max().map { ($0, profile) }
        }
        return boards.min { left, right in
            left.length == right.length
                ? left.profile.id < right.profile.id : left.length > right.length
        }?.profile
    }
}

/// Collects what a catalog is made of.
private struct CatalogBuilder {
    let reader: ProfileReader
    var profiles: [String: Profile] = [:]
    var problems: [ConfigurationError] = []
    var notes: [String] = []
    var broken: [String: ConfigurationError] = [:]

    mutating func add(_ file: ProfileFile, isOverlay: Bool) {
        let bytes: [UInt8]
        switch file.contents {
        case .success(let contents): bytes = contents
        case .failure(let failure): return refuse(file.path, failure.reason)
        }
        let profile: Profile
        do throws(ConfigurationError) {
            profile = try reader.read(bytes, file: file.path)
        } catch {
            problems.append(error)
            for id in Self.ids(of: bytes, file: file.path) { broken[id] = error }
            return
        }
        // Others than the one that it replaces.
        let others = profiles.values.filter { $0.id != profile.id }.sorted { $0.id < $1.id }
        for other in others {
            guard let sentence = profile.overlap(with: other) else { continue }
            return refuse(file.path, sentence)
        }
        if let old = profiles[profile.id] {
            notes.append("\(file.path) replaces \(old.origin)")
        }
        profiles[profile.id] = profile
    }

    mutating func refuse(_ path: String, _ sentence: String) {
        let error = ConfigurationError(file: path, message: sentence)
        problems.append(error)
        for id in Self.ids(of: [], file: path) { broken[id] = error }
    }

    /// Names by which a device's `type` may refer to a profile: its file's name and its id.
    private static func ids(of bytes: [UInt8], file: String) -> [String] {
        let name = file.split(separator: "/").last.map(String.init) ?? file
        let stem = name.hasSuffix(".json") ? String(name.dropLast(5)) : name
        guard bytes.count <= ProfileReader.byteLimit,
            case .object(let fields)? = try? JSONParser.parse(bytes),
            case .string(let id)? = fields["id"], id != stem
        else { return [stem] }
        return [stem, id]
    }
}

extension Profile {
    /// Why both cannot be in one catalog: the same adapter and the same proof, so chance decided.
    ///
    /// Different drivers may share an adapter: the probe distinguishes them. Two line devices are
    /// distinguished by their fields.
    fileprivate func overlap(with other: Profile) -> String? {
        if let board, let others = other.board {
            if board.models.isEmpty, others.models.isEmpty {
                return "board.models: fits every machine, as \(other.id) does"
            }
            return board.models.first(where: others.models.contains).map {
                "board.models: \"\($0)\" is also \(other.id)'s; give one of them a longer text"
            }
        }
        for match in sensorMatches {
            guard let theirs = other.sensorMatches.first(where: match.meets) else { continue }
            return "match: \(match.text) meets \(theirs.text) of \(other.id), so nothing could "
                + "distinguish them; use the id \(other.id) to replace it"
        }
        guard driver == other.driver, driver != "line" || settings == other.settings else {
            return nil
        }
        for match in matches {
            guard let theirs = other.matches.first(where: match.meets) else { continue }
            let fit = match == theirs ? "are also" : "meet \(theirs.text) of"
            let whose = match == theirs ? "\(other.id)'s" : other.id
            return "match: \(match.text) and driver \(driver ?? "") \(fit) \(whose), so nothing "
                + "could distinguish them; use the id \(other.id) to replace it"
        }
        return nil
    }
}
