import CCurl
import Core
import LinuxIO
import RoostCourier

/// The network of a courier: libcurl and libmosquitto on the event loop.
///
/// Only tasks of that loop may use it. A network and those that `with(_:)` makes from it share
/// connections, the resolver and the mail thread.
package struct CurlNetwork: CourierNetwork {
    private let loop: EventLoop
    private let multi: CurlMulti
    /// Resolves server names to addresses.
    private let resolver: NameResolver
    /// A thread for mail, as libcurl waits for a mail server's last answer.
    private let mail: DiskThread
    private let brokers: BrokerConnector
    private let settings: CurlSettings

    /// - Throws: `NetworkFailure`, `LinuxError` when this machine lacks memory or descriptors.
    package init(
        on loop: EventLoop,
        settings: CurlSettings = CurlSettings(),
        names: NameLookup? = nil
    ) throws {
        self.loop = loop
        self.settings = settings
        multi = try CurlMulti(on: loop)
        mail = try DiskThread(name: "mail")
        brokers = BrokerConnector(on: loop)
        resolver = NameResolver(clock: loop.clock, names: names ?? NameLookup(clock: loop.clock))
    }

    private init(_ other: CurlNetwork, _ settings: CurlSettings) {
        (loop, multi, resolver, mail) = (other.loop, other.multi, other.resolver, other.mail)
        brokers = other.brokers
        self.settings = settings
    }

    /// Returns the same network with the settings of another target.
    package func with(_ settings: CurlSettings) -> CurlNetwork { CurlNetwork(self, settings) }

    package func exchange(_ request: OutboundRequest) async throws -> OutboundAnswer {
        guard request.body.count <= OutboundRequest.bodyLimit else {
            let words = "a request of \(request.body.count) bytes is too long to be sent"
            throw NetworkFailure(.local, words)
        }
        return try await send(request, .bytes(request.body), read: nil)
    }

    package func upload(
        _ request: OutboundRequest,
        size: Int,
        _ read: @escaping @Sendable () async throws -> [UInt8]?
    ) async throws -> OutboundAnswer {
        try await send(request, .stream(size: size), read: read)
    }

    package func send(_ message: MailMessage) async throws -> OutboundAnswer {
        let place = try ServerAddress(message.url, schemes: ["smtp", "smtps"])
        let route = try await route(to: place)
        let clock = loop.clock
        let setup = ConnectionOptions(settings: settings, route: route, trust: message.trust)
        return try await MailTransfer.perform(on: mail) { isLeft throws(NetworkFailure) in
            try MailTransfer(message, setup, clock: clock, isLeft: isLeft).run()
        }
    }

    package func connect(_ broker: BrokerSettings) async throws -> any BrokerConnection {
        guard settings.proxy == nil else {
            throw NetworkFailure(.local, "a broker cannot be asked through a proxy")
        }
        let route = try await route(to: try BrokerOptions.place(of: broker))
        return try await brokers.connect(broker, to: route, authorities: settings.authorities)
    }

    // MARK: One transfer

    private func send(
        _ request: OutboundRequest,
        _ source: Transfer.Source,
        read: (@Sendable () async throws -> [UInt8]?)?
    ) async throws -> OutboundAnswer {
        let place = try ServerAddress(request.url, schemes: ["http", "https"])
        let route = try await route(to: place)
        let handle = try CurlHandle()
        try ConnectionOptions(settings: settings, route: route, trust: request.trust)
            .apply(to: handle)
        try RequestOptions(request: request, place: place, source: source).apply(to: handle)
        let transfer = Transfer(handle, to: route, sending: source, clock: loop.clock)
        transfer.answerLimit = request.answerLimit
        let deadlines = TransferDeadlines(
            place: place.text,
            addressCount: route.addresses.count,
            wholeSeconds: request.timeoutSeconds,
            connectLimit: settings.connectLimit
        )
        let code = try await run(transfer, deadlines, read: read)
        guard code == CURLE_OK else { throw failure(code, of: transfer) }
        let version = transfer.handle.long(CURLINFO_HTTP_VERSION)
        guard !request.needsHTTP2 || version == CURL_HTTP_VERSION_2_0 else {
            let words = "\(place.text) does not speak HTTP/2"
            throw NetworkFailure(.malformed, words, wasSent: true)
        }
        let status = transfer.handle.long(CURLINFO_RESPONSE_CODE)
        return OutboundAnswer(status, transfer.head.fields, body: transfer.body)
    }

    /// Looks up the addresses of the server, or of the proxy.
    private func route(to place: ServerAddress) async throws -> OutboundRoute {
        // A proxy looks up the server and connects to it, so only the proxy is looked up here.
        let proxy = try settings.proxy.map { proxy throws(NetworkFailure) in
            try ServerAddress(proxy, schemes: ["http", "https", "socks5h"])
        }
        let isOpen = settings.allowsLocal || proxy != nil
        let reach: AddressRule.Reach =
            isOpen ? .everywhere : settings.isPublicOnly ? .internet : .networks
        let next = proxy ?? place
        let addresses = try await resolver.addresses(of: next, reach: reach)
        return OutboundRoute(place: place, next: next, addresses: addresses, reach: reach)
    }

    /// Runs a transfer to its end.
    ///
    /// - Throws: `NetworkFailure` when a stage took too long or we ended it; `CancellationError`.
    private func run(
        _ transfer: Transfer,
        _ deadlines: TransferDeadlines,
        read: (@Sendable () async throws -> [UInt8]?)?
    ) async throws -> CURLcode {
        try await multi.enter()
        defer { multi.leave() }
        try Task.checkCancellation()
        let begunAt = loop.clock.now
        try multi.add(transfer)
        defer { multi.remove(transfer) }
        var deadlines = deadlines
        while true {
            if let failure = transfer.failure { throw failure }
            if let result = transfer.result { return result }
            if transfer.wantsPiece, let read {
                transfer.supply(try await read())
                multi.resume(transfer)
                continue
            }
            let progress = transfer.progress(begunAt: begunAt)
            let next = try deadlines.next(progress, now: loop.clock.now)
            _ = try await loop.clock.wait(
                for: transfer.signal,
                until: next,
                tolerance: .milliseconds(500)
            )
        }
    }

    private func failure(_ code: CURLcode, of transfer: Transfer) -> NetworkFailure {
        var reading = TransferFailure(place: transfer.place)
        reading.verifyResult = transfer.handle.long(CURLINFO_SSL_VERIFYRESULT)
        reading.systemError = transfer.handle.long(CURLINFO_OS_ERRNO)
        reading.wasSent = transfer.isSent
        reading.isNear = transfer.route.isNear
        reading.today = MachineDate.today
        return reading.failure(code)
    }
}
