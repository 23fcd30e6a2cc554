import FileIO

/// The courier's files, and what it needs of the machine.
struct DoctorCourier {
    static let path = "/etc/roost/courier.json"
    static let secretFolder = "/etc/roost/secrets"
    static let certificateFolder = "/etc/ssl/certs"

    /// Places of its unit, by a package and by `scripts/install`.
    private static let units = ["/usr/lib", "/lib", "/etc"]
        .map { "\($0)/systemd/system/roost-courier.service" }

    /// Whether a courier is installed or configured.
    var isWanted = false
    /// Secrets that others than their owner may read, with their modes.
    var openSecrets: [String] = []
    var secretCount = 0
    /// Whether the certificates of authorities are there as libcurl looks for them.
    var hasAuthorities = false
    var nameServers: [String] = []
    /// Folders that are there and cannot be read, with the reason.
    var unread: [String: String] = [:]

    init() {}

    init(_ tree: DoctorTree) {
        isWanted = ([Self.path] + Self.units).contains { tree.exists($0) }
        for name in list(Self.secretFolder, tree) {
            guard let mode = tree.mode("\(Self.secretFolder)/\(name)") else { continue }
            secretCount += 1
            guard mode & 0o077 != 0 else { continue }
            openSecrets.append("\(name) (0\(String(mode, radix: 8)))")
        }
        hasAuthorities = list(Self.certificateFolder, tree).contains { $0.hasSuffix(".0") }
        let lines = tree.text("/etc/resolv.conf")?.split(separator: "\n") ?? []
        nameServers = lines.map(\.fields).filter { $0.first == "nameserver" && $0.count > 1 }
            .map { $0[1] }
    }

    private mutating func list(_ folder: String, _ tree: DoctorTree) -> [String] {
        do { return try tree.list(folder) } catch {
            if !error.isAbsent { unread[folder] = error.text }
            return []
        }
    }
}
