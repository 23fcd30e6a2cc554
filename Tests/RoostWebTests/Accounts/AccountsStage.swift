import ControlProtocol
import HTTPTypes
import Logging
import SQLite
import Synchronization
import TestSupport

@testable import RoostWeb

/// A station with accounts in a folder of its own, a clock that only the test moves and passwords
/// that cost nothing.
final class AccountsStage: Sendable {
    static let password = "seven-Kettles-hum"

    let folder: TestFolder
    let accounts: Accounts
    let database: WebDatabase
    let time: StageTime
    let house: StageHouse
    let responder: WebResponder

    init(
        folder: TestFolder? = nil,
        time: StageTime = StageTime(),
        house: StageHouse = StageHouse(),
        hashing: PasswordHash? = nil,
        extra: [Route] = [],
        audited: (Accounts) -> [Route] = { _ in [] }
    ) throws {
        let folder = try folder ?? TestFolder(isInMemory: true)
        let database = try WebDatabase(folder: folder.path)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let hashes = time
        accounts = try Accounts(
            database,
            of: house.asked(time),
            clock: time.clock,
            hashing: hashing
                ?? PasswordHash(
                    hash: { "plain:" + $0 },
                    verify: { password, kept in
                        hashes.verifications.withLock { $0.append(kept) }
                        return kept == "plain:" + password
                    }
                ),
            logger: logger,
            pause: { seconds in time.pauses.withLock { $0.append(seconds) } }
        )
        (self.folder, self.database, self.time) = (folder, database, time)
        self.house = house
        let gate = Gate(
            RouteTable(
                AccountRoutes.all(accounts) + extra + accounts.audited(audited(accounts))
            ),
            hosts: HostNames(["balcony"]),
            authenticator: CookieAuthenticator(accounts),
            // The rate limit is tested elsewhere.
            clock: StageTime.fast
        )
        responder = WebResponder(gate, logger: logger)
    }

    /// The same station after the machine was off for so long, and has run for ten seconds.
    func reboot(after seconds: Int64) throws -> AccountsStage {
        time.reboot(after: seconds)
        return try AccountsStage(folder: folder, time: time, house: house)
    }

    /// One request of a browser, or of a program when it has a token.
    func ask(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        as browser: Browser = Browser()
    ) async -> Answer {
        Answer(await response(method, path, body, as: browser))
    }

    /// The same with a body that may be a stream.
    func response(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        as browser: Browser
    ) async -> WebResponse {
        var headers: HTTPFields = [:]
        if let token = browser.token {
            headers[.authorization] = "Bearer \(token)"
        } else {
            headers[.origin] = "http://balcony.local"
        }
        if let cookie = browser.cookie { headers[.cookie] = cookie }
        if let body {
            headers[.contentType] = "application/json"
            headers[.contentLength] = String(body.utf8.count)
        } else {
            headers[.contentLength] = "0"
        }
        let head = Gate.Head(
            method,
            authority: "balcony.local",
            target: "/api/v1" + path,
            headers: headers,
            peer: PeerAddress(browser.address)
        )
        return await responder.answer(head) { _ in Array((body ?? "").utf8) }
    }

    /// Makes the first account, with a code as `roost claim` makes it.
    func claim() async throws -> Browser {
        let code = try await accounts.newClaimCode()
        let answer = await ask(.post, "/claim", Self.person("Anna", code: code))
        return Browser(cookie: answer.cookie)
    }

    /// Lets a member or viewer sign up.
    func signUp(_ name: String, _ role: Role, by owner: Browser) async throws -> Browser {
        let invitation = await ask(
            .post,
            "/invitations",
            #"{"role":"\#(role.rawValue)"}"#,
            as: owner
        )
        let code = invitation.text("code") ?? ""
        let answer = await ask(.post, "/invitations/\(code)", Self.person(name))
        return Browser(cookie: answer.cookie)
    }

    static func person(_ name: String, code: String? = nil) -> String {
        let code = code.map { #""code":"\#($0)","# } ?? ""
        let email = name.lowercased() + "@example.org"
        return #"{\#(code)"name":"\#(name)","email":"\#(email)","password":"\#(password)"}"#
    }

    static func logIn(_ email: String, _ password: String = password) -> String {
        #"{"email":"\#(email)","password":"\#(password)"}"#
    }
}

/// Credentials and address of one client.
struct Browser: Sendable {
    var cookie: String?
    var token: String?
    var address = "192.168.1.7"
}

/// Status, headers and body of an answer.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPFields
    let body: String

    init(_ response: WebResponse) {
        status = Int(response.status.code)
        headers = response.headers
        if case .bytes(let bytes) = response.body {
            body = String(decoding: bytes, as: UTF8.self)
        } else {
            body = ""
        }
    }

    /// Cookie that a browser sends back; nil when the answer sets none.
    var cookie: String? { headers[.setCookie]?.split(separator: ";").first.map(String.init) }

    /// The text member of this name, without escapes.
    func text(_ name: String) -> String? {
        guard let start = body.firstRange(of: "\"\(name)\":\"") else { return nil }
        return String(body[start.upperBound...].prefix { $0 != "\"" })
    }
}

/// A double of the station, whose answers a test sets.
final class StageHouse: Sendable {
    let isDateTrusted = Mutex(false)
    let window = Mutex(ClaimWindowReport.closed)
    /// The station's address in a network without a password.
    let openNetwork = Mutex<UInt32?>(nil)
    /// New owners' names that the station was told.
    let closedBy = Mutex<[String]>([])

    func asked(_ time: StageTime) -> AccountStation {
        var house = AccountStation(name: "balcony")
        house.trustedDate = {
            self.isDateTrusted.withLock { $0 } ? time.seconds.withLock { $0 } : nil
        }
        house.window = { self.window.withLock { $0 } }
        house.closeWindow = { owner in self.closedBy.withLock { $0.append(owner) } }
        // 192.168.1.4/24.
        house.network = DirectNetwork {
            [.init(address: 0xC0A8_0104, mask: 0xFFFF_FF00)]
        } isOpen: { subnet in
            self.openNetwork.withLock { $0 == subnet.address }
        }
        return house
    }
}

/// Time that stands still until a test moves it, and a record of the station's sleeps.
final class StageTime: Sendable {
    let uptime = Mutex(1_000.0)
    let boot = Mutex("one")
    let seconds = Mutex<Int64>(1_795_320_000)
    let pauses = Mutex<[Int64]>([])
    let verifications = Mutex<[String]>([])

    func pass(_ length: Int64) {
        uptime.withLock { $0 += Double(length) }
        seconds.withLock { $0 += length }
    }

    /// Simulates that the machine is off for so long and has then run for ten seconds.
    func reboot(after length: Int64) {
        boot.withLock { $0 += "'" }
        uptime.withLock { $0 = 10 }
        seconds.withLock { $0 += length + 10 }
    }

    /// A clock that advances an hour at each reading.
    static var fast: WebClock {
        let time = StageTime()
        return WebClock(
            boot: "",
            uptime: {
                time.pass(3_600)
                return time.clock.uptime()
            },
            seconds: { 0 }
        )
    }

    var clock: WebClock {
        WebClock(
            boot: boot.withLock { $0 },
            uptime: { self.uptime.withLock { $0 } },
            seconds: { self.seconds.withLock { $0 } }
        )
    }
}
