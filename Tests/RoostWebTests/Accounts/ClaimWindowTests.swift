import ControlProtocol
import FileIO
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import RoostWeb

@Suite struct ClaimWindowTests {
    private static let byButton = ClaimWindowReport(
        leftSeconds: 280,
        cause: .button,
        device: "bell"
    )
    private static let byPowerOn = ClaimWindowReport(leftSeconds: 500, cause: .powerOn)

    @Test func claimsWithoutACodeOnceWhileTheWindowIsOpen() async throws {
        let stage = try AccountsStage()
        let closed = await stage.ask(.get, "/claim")
        #expect(closed.status == 200 && closed.body.contains(#""isOpen":false"#))
        let early = await stage.ask(.post, "/claim", AccountsStage.person("Eve"))
        #expect(early.status == 400 && early.text("pointer") == "/code")

        stage.house.window.withLock { $0 = Self.byButton }
        let open = await stage.ask(.get, "/claim")
        #expect(open.body.contains(#""cause":"button","codeFrom":null,"device":"bell""#))
        #expect(open.body.contains(#""leftSeconds":280"#))
        let answer = await stage.ask(.post, "/claim", AccountsStage.person("Anna", code: ""))
        #expect(answer.status == 201)
        #expect(stage.house.closedBy.withLock { $0 } == ["Anna"])
        let anna = Browser(cookie: answer.cookie)
        let me = await stage.ask(.get, "/me", as: anna)
        #expect(me.text("role") == "owner")
        #expect(me.body.contains(#""by":"Anna"}"#))
        #expect(await stage.ask(.get, "/audit", as: anna).body.contains("balcony button bell"))
        // The window counts once, whatever the station says.
        let second = await stage.ask(.post, "/claim", AccountsStage.person("Eve"))
        #expect(second.status == 409)
        #expect(await stage.ask(.get, "/claim").status == 409)
        #expect(stage.house.closedBy.withLock { $0 } == ["Anna"])
    }

    /// The page says first which code to type.
    @Test func saysWhereTheValidCodeStands() async throws {
        let stage = try AccountsStage()
        func source() async -> String? {
            let body = await stage.ask(.get, "/claim").body
            return ["null", #""card""#, #""shell""#].first { body.contains("\"codeFrom\":\($0)") }
        }
        #expect(await source() == "null")
        try Files.replace(
            stage.folder.path(ClaimFile.name),
            with: Array("balcony-2026".utf8),
            mode: 0o600
        )
        stage.accounts.takeCode(from: stage.folder.path)
        #expect(await source() == #""card""#)
        _ = try await stage.accounts.newClaimCode()
        #expect(await source() == #""shell""#)
        stage.time.pass(900)
        #expect(await source() == "null")
    }

    /// Two claims at once make only one owner.
    @Test func letsOneOfTwoClaimsIn() async throws {
        let stage = try AccountsStage()
        stage.house.window.withLock { $0 = Self.byButton }
        async let first = stage.ask(.post, "/claim", AccountsStage.person("Anna"))
        async let second = stage.ask(.post, "/claim", AccountsStage.person("Eve"))
        let statuses = await [first.status, second.status].sorted()
        #expect(statuses == [201, 409])
        #expect(stage.accounts.roster.accounts.count == 1)
    }

    /// A form with a mistake does not use up the window, and a wrong code is refused in it, too.
    @Test func checksTheFormInTheWindowToo() async throws {
        let stage = try AccountsStage()
        stage.house.window.withLock { $0 = Self.byButton }
        let weak = #"{"name":"Anna","email":"anna@example.org","password":"short"}"#
        #expect(await stage.ask(.post, "/claim", weak).status == 400)
        let wrong = AccountsStage.person("Anna", code: "0000-0000")
        #expect(await stage.ask(.post, "/claim", wrong).status == 410)
        #expect(stage.house.closedBy.withLock { $0 } == [])
        #expect(await stage.ask(.post, "/claim", AccountsStage.person("Anna")).status == 201)
    }

    @Test func claimsByCodeCloseTheWindow() async throws {
        let stage = try AccountsStage()
        _ = try await stage.claim()
        #expect(stage.house.closedBy.withLock { $0 } == ["Anna"])
    }

    @Test(arguments: [
        ("192.168.1.7", true), ("::ffff:192.168.1.7", true), ("fe80::1%eth0", false),
        ("169.254.3.4", false), ("192.168.1.4", false),
        ("192.168.2.7", false), ("10.0.0.1", false), ("8.8.8.8", false),
        ("127.0.0.1", false), ("::1", false), ("fd00::7", false), ("", false),
    ])
    func powerOnCountsInTheStationsOwnNetwork(address: String, isNear: Bool) async throws {
        let stage = try AccountsStage()
        stage.house.window.withLock { $0 = Self.byPowerOn }
        let browser = Browser(address: address)
        let seen = await stage.ask(.get, "/claim", as: browser)
        #expect(seen.body.contains(#""isOpen":\#(isNear)"#))
        let answer = await stage.ask(.post, "/claim", AccountsStage.person("Anna"), as: browser)
        #expect(answer.status == (isNear ? 201 : 400))
    }

    /// A visitor in an open access point is near, but may be a stranger.
    @Test func powerOnCountsInNoOpenNetwork() async throws {
        let house = StageHouse()
        house.openNetwork.withLock { $0 = 0xC0A8_0104 }
        let stage = try AccountsStage(house: house)
        stage.house.window.withLock { $0 = Self.byPowerOn }
        #expect(await stage.ask(.get, "/claim").body.contains(#""isOpen":false"#))
        #expect(await stage.ask(.post, "/claim", AccountsStage.person("Eve")).status == 400)
        stage.house.window.withLock { $0 = Self.byButton }
        #expect(await stage.ask(.post, "/claim", AccountsStage.person("Anna")).status == 201)
    }

    /// Each interface of this machine has one IPv4 address and mask.
    @Test func readsTheMachinesNetworks() {
        for subnet in DirectNetwork().subnets() {
            #expect(subnet.address >> 24 != 127, "the loopback is no network")
            let host = ~subnet.mask
            #expect(host & (host &+ 1) == 0, "a mask is ones before zeros")
            #expect(subnet.contains(subnet.address))
        }
    }
}
