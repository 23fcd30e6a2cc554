import ArgumentParser
import ControlProtocol
import Core
import Glibc
import Logging
import NIOCore
import NIOPosix
import RoostWeb
import StoreQueries

@main
struct Web: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost-web",
        abstract: "Serves a station's dashboard and its local API.",
        discussion: """
            Asks the station over its control socket and reads its history; it writes nothing but \
            its own small database of accounts. Under systemd it gets its sockets, ends after ten \
            minutes without a connection, and is started again by the next visitor. \
            `roost web` starts it by hand.

            Examples: roost-web --listen 127.0.0.1:8088
                      roost-web --store /mnt/card/store --open
            Exit codes: 0 ended, 1 failed, 64 wrong usage.
            """,
        version: RoostVersion.text
    )

    @Option(help: "Address and port; may be given several times. Not needed under systemd.")
    var listen: [String] = []

    @OptionGroup var tls: EncryptionOptions
    @OptionGroup var camera: CameraOptions
    @OptionGroup var map: MapOptions

    @Option(help: "The station's control socket.")
    var socket = "/run/roost/roost.sock"
    @Option(help: "The courier's control socket.")
    var courier = StandardSocket.courier

    @Option(help: "A store's folder to show without a station: the card of a Pi that died.")
    var store: String?

    @Option(help: "The folder of the dashboard's files.")
    var www: String?

    @Option(
        name: .customLong("print"),
        help: "Print one of those files and end: js/roost.js has all scripts joined."
    )
    var printed: String?

    @Option(help: "The folder of accounts and sessions.")
    var state = "/var/lib/roost-web"

    @Option(help: "The station's name, while it does not answer.")
    var name: String?

    @Flag(help: "No accounts: only for addresses of this computer.")
    var open = false

    @Option(help: "Where `roost claim` connects; by default in --state, or systemd's.")
    var claimSocket: String?

    @Option(help: "Where a card may hold roost-claim.txt and roost-reset-accounts.txt.")
    var claimFolder = "/boot/firmware"

    @Option(help: "Another name that it answers to; may be given several times.")
    var host: [String] = []

    @Option(help: "What is on for clients of other systems; see docs/reference/faces.md.")
    var faces = "/etc/roost/faces.json"

    /// Root folder for the page Update, instead of `/`; for tests.
    @Option(help: .hidden)
    var imageRoot = ""

    @Flag(help: "Mark every page as simulated.")
    var simulated = false

    @Flag(name: .customLong("until-eof"), help: "End when standard input does.")
    var untilEOF = false

    @Option(help: "Seconds without a connection until it ends; 0 never.")
    var idle: Int64?

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let logger = Logger(label: "roost-web") { StreamLogHandler.standardError(label: $0) }
        if let printed { return try show(printed) }
        let handed = InheritedSockets.inherit()
        let claims = handed.first(where: InheritedSockets.isLocal)
        let chosenFaces = try faceSettings()
        var (inherited, faceSockets) = ([CInt](), FaceServers.Sockets())
        for socket in handed where !InheritedSockets.isLocal(socket) {
            let port = InheritedSockets.port(of: socket)
            if let port, chosenFaces.entries.values.contains(where: { $0.port == port }) {
                faceSockets.inherited[port] = socket
            } else {
                inherited.append(socket)
            }
        }
        let sockets = try sockets(inherited)
        if case .address(let host, _) = sockets.first { faceSockets.host = host }
        let doors = Doors(claims: claims, faces: chosenFaces, faceSockets: faceSockets)
        if open || store != nil { try demandLoopback(sockets) }
        try demandStore()
        let files = try StaticFiles(folder: wwwFolder)
        var settings = WebServer.Settings()
        settings.sockets = sockets.filter { !tls.isEncrypted($0) }
        settings.encrypted = try sockets.filter(tls.isEncrypted) + tls.sockets()
        if open || store != nil { try demandLoopback(settings.encrypted) }
        settings.idleSeconds = idle.map { $0 > 0 ? $0 : nil } ?? (inherited.isEmpty ? nil : 600)
        let (command, chosen) = (self, settings)
        if untilEOF { ThisProgram.endWithInput() }
        MultiThreadedEventLoopGroup.withCurrentThreadAsEventLoop { loop in
            Task(executorPreference: LoopExecutor(loop)) {
                do {
                    try await command.serve(files, chosen, doors, on: loop, logger)
                    Glibc.exit(0)
                } catch {
                    // One plain line first: what is wrong, where, and what to do.
                    Self.complain("\(error)")
                    Glibc.exit(1)
                }
            }
        }
    }

    private func serve(
        _ files: StaticFiles,
        _ settings: WebServer.Settings,
        _ doors: Doors,
        on loop: any EventLoop,
        _ logger: Logger
    ) async throws {
        let station = store == nil ? StationClient(path: socket, on: loop) : nil
        let live = station.map { LiveBroadcaster($0, clientVersion: files.hash, on: loop) }
        let shown = name ?? hostName
        let door = door(AccountStation(name: shown, station, logger: logger), on: loop, logger)
        let history = HistoryClient(station, folder: store ?? "/var/lib/roost", logger: logger)
        let courier = station.map { _ in courierClient(on: loop) }
        let stationRoutes = try stationRoutes(station, live, history, courier, door.accounts)
        let others = camera.programs(beside: courier, on: loop)
        let image = imageRoutes(history)
        let copies = door.accounts.map { _ in CopyJobs(folder: state) }
        let faces = faces(doors.faces, history, station, courier, door.accounts, logger)
        let past = HistoryRoutes(history, station, courier, name: shown, copies: copies).all
        let eyes = store == nil ? camera.camera(on: loop, logger) : nil
        let asked =
            stationRoutes.all + Self.sending(courier) + image.acts + past + faces.pageRoutes
            + CameraOptions.routes(history, eyes, door.accounts?.looks)
        var routes = files.routes(name: shown) + door.routes + faces.routes
        routes += door.accounts?.audited(asked) ?? asked
        routes += try image.others + map.routes(files, station) + [QRCodeRoute().route]
        var settings = settings
        let hosts = [shown, hostName] + host
        settings.encryption = tls.encryption(settings, state, hosts, door.accounts, logger)
        if let accounts = door.accounts { Self.connect(accounts, to: &settings) }
        routes += BackupRoutes.all(station, others, door.accounts, root: imageRoot)
        let described = routes + trust(settings, door.accounts).all
        let (cookie, names) = (open || store != nil ? nil : shown, HostNames(hosts))
        let table = RouteTable(described + [OpenAPI.route(describing: described, station: cookie)])
        let gate = Gate(table, hosts: names, authenticator: door.authenticator)
        let server = WebServer(
            WebResponder(gate, redirect: tls.redirect(settings), logger: logger),
            settings,
            on: loop,
            logger: logger
        )
        let faceServers = FaceServers(faces, hosts: names, authenticator: door.authenticator)
            .all(doors.faceSockets, settings, on: loop, logger: logger)
        try await withThrowingDiscardingTaskGroup { group in
            for face in faceServers {
                group.addTask { try await face.run { logger.info("a face: port \($0[0])") } }
            }
            if let live { group.addTask { await live.run() } }
            if let eyes { group.addTask { await eyes.live.run() } }
            if let accounts = door.accounts {
                let claim = claim(accounts, doors.claims, settings, on: loop, logger)
                group.addTask { await claim.run() }
            }
            try await server.run { ports in
                for port in ports { print("listening on port \(port)") }
                fflush(nil)
            }
            group.cancelAll()
        }
    }

    private func stationRoutes(
        _ station: StationClient?,
        _ live: LiveBroadcaster?,
        _ history: HistoryClient,
        _ courier: (any QuestionClient)?,
        _ accounts: Accounts?
    ) throws -> StationRoutes {
        var routes = StationRoutes(
            station,
            live: live,
            history: history,
            name: name ?? hostName,
            zone: ZoneName.system,
            isSimulated: simulated
        )
        routes.tiles = try map.server
        (routes.courier, routes.accountsTrouble) = (courier, { accounts?.trouble })
        return routes
    }

    private func imageRoutes(_ history: HistoryClient) -> (acts: [Route], others: [Route]) {
        let uploads = UpdateUploads(state: state, root: imageRoot)
        let updates = UpdateRoutes(uploads.withoutLeftovers(), on: history)
        let wifi = NetworkRoutes(NetworkRequests(host: hostName, root: imageRoot))
        let wires = WireRoutes(root: imageRoot)
        return (updates.acts + wifi.acts + wires.acts, updates.others + wifi.others + wires.others)
    }

    /// Gives logged-in people priority at the port; the process stays while log-outs are unsaved.
    private static func connect(_ accounts: Accounts, to settings: inout WebServer.Settings) {
        settings.isKnown = { accounts.isKnown($0) }
        settings.connections = IdleExit.Count { accounts.isAheadOfCard }
    }

    private func courierClient(on loop: any EventLoop) -> StationClient {
        StationClient(path: courier, on: loop, of: ("courier", "roost-courier"))
    }

    private static func sending(_ courier: (any QuestionClient)?) -> [Route] {
        OutboxRoutes(courier).all + PushRoutes(courier).all
    }

    private func trust(_ settings: WebServer.Settings, _ accounts: Accounts?) -> TrustRoutes {
        TrustRoutes(
            settings.encryption,
            station: name ?? hostName,
            addresses: settings.encrypted.flatMap { addresses($0, isEncrypted: true) },
            accounts
        )
    }

    private func faces(
        _ settings: FaceSettings,
        _ history: HistoryClient,
        _ station: StationClient?,
        _ courier: (any QuestionClient)?,
        _ accounts: Accounts?,
        _ logger: Logger
    ) -> Faces {
        var sources = FaceSources(
            history,
            station,
            accounts?.database,
            name: name ?? hostName,
            zone: Zone(named: ZoneName.system) ?? .system,
            logger: logger
        )
        sources.courier = courier
        sources.isSimulated = simulated
        return Faces(settings, sources)
    }

    /// Sockets and settings of the servers beside the pages.
    private struct Doors {
        let claims: CInt?
        let faces: FaceSettings
        let faceSockets: FaceServers.Sockets
    }

    private func faceSettings() throws -> FaceSettings {
        let file = fopen(faces, "r")
        guard let file else {
            if errno == ENOENT { return FaceSettings() }
            throw ValidationError("\(faces) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_537)
        let count = fread(&bytes, 1, bytes.count, file)
        guard count < bytes.count else { throw ValidationError("\(faces) has more than 64 KiB") }
        do {
            return try FaceSettings(parsing: Array(bytes[..<count]))
        } catch { throw ValidationError("\(faces): \(error)") }
    }

    /// Opens the accounts, or admits anyone with `--open` or `--store`, on this computer only.
    private func door(
        _ accountStation: AccountStation,
        on loop: any EventLoop,
        _ logger: Logger
    ) -> (routes: [Route], authenticator: any Gate.Authenticator, accounts: Accounts?) {
        guard open || store != nil else {
            let door = ServerAccounts(folder: state, of: accountStation, on: loop, logger: logger)
            door.accounts?.begin(with: claimFolder)
            return (door.routes, door.authenticator, door.accounts)
        }
        let authenticator = OpenAuthenticator(store == nil ? .owner : .viewer)
        return ([authenticator.route], authenticator, nil)
    }

    private func claim(
        _ accounts: Accounts,
        _ inherited: CInt?,
        _ settings: WebServer.Settings,
        on loop: any EventLoop,
        _ logger: Logger
    ) -> ClaimSocket {
        let encrypted = settings.encrypted.flatMap { addresses($0, isEncrypted: true) }
        let place: ClaimSocket.Place =
            inherited.map { .inherited($0) } ?? .path(claimSocket ?? state + "/claim.sock")
        return ClaimSocket(
            place,
            accounts,
            addresses: settings.sockets.flatMap { addresses($0) } + encrypted,
            encryption: settings.encryption,
            on: loop,
            logger: logger
        )
    }

    /// URLs of the dashboard, for the answer to `roost claim`.
    private func addresses(_ socket: WebServer.Socket, isEncrypted: Bool = false) -> [String] {
        let (host, port): (String, Int?) =
            switch socket {
            case .inherited(let descriptor): ("", InheritedSockets.port(of: descriptor))
            case .address(let host, let port): (host, port)
            }
        guard let port else { return [] }
        let scheme = isEncrypted ? "https" : "http"
        let suffix = port == (isEncrypted ? 443 : 80) ? "/" : ":\(port)/"
        guard ["", "0.0.0.0", "::"].contains(host) else {
            return ["\(scheme)://\(host.contains(":") ? "[\(host)]" : host)\(suffix)"]
        }
        return ["\(scheme)://\(hostName).local\(suffix)", "\(scheme)://\(hostName)\(suffix)"]
    }

    // MARK: Where

    private func sockets(_ inherited: [CInt]) throws -> [WebServer.Socket] {
        if !inherited.isEmpty { return inherited.map { .inherited($0) } }
        let wanted = listen.isEmpty ? ["127.0.0.1:8088"] : listen
        return try wanted.map { try ListenAddress.socket($0, of: "--listen") }
    }

    private func demandLoopback(_ sockets: [WebServer.Socket]) throws {
        for case .address(let host, _) in sockets
        where !ListenAddress.isLoopback(host) {
            throw ValidationError(
                "without accounts it listens on 127.0.0.1 alone, not on \(host); "
                    + "leave out --open, or choose --listen 127.0.0.1:8088"
            )
        }
    }

    /// Checks the folder at the start, so that not each page has to report it.
    private func demandStore() throws {
        guard let store else { return }
        let folder = StoreFolder(path: store)
        guard access(folder.historyPath, F_OK) != 0, access(folder.ringPath, F_OK) != 0 else {
            return
        }
        let isThere = access(store, F_OK) == 0
        Self.complain(
            "\(store): "
                + (isThere ? "no store is there (no history.db); " : "there is no such folder; ")
                + "--store is the folder that `store.folder` names, as /mnt/card/var/lib/roost"
        )
        throw ExitCode(1)
    }

    private static func complain(_ words: String) {
        let line = Array("roost-web: \(words)\n".utf8)
        _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }

    private var wwwFolder: String {
        if let www { return www }
        let parts = ((try? ThisProgram.path()) ?? "").split(separator: "/")
        let installed =
            "/" + (parts.dropLast(2) + ["share", "roost", "web"]).joined(separator: "/")
        // The folder beside the sources that this program was built from.
        guard access(installed + "/index.html", R_OK) != 0,
            let build = parts.firstIndex(where: { $0.hasPrefix(".build") })
        else { return installed }
        return "/" + (parts[..<build] + ["Sources", "RoostWeb", "www"]).joined(separator: "/")
    }

    private func show(_ name: String) throws {
        guard let bytes = try StaticFiles(folder: wwwFolder).content(of: name) else {
            throw ValidationError("the dashboard has no file \(name); try js/roost.js")
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { throw ExitCode.failure }
            rest = rest.dropFirst(count)
        }
    }

    private var hostName: String { ThisProgram.hostName }
}
