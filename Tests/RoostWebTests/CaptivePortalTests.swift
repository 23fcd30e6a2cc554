import HTTPTypes
import Testing

@testable import RoostWeb

@Suite struct CaptivePortalTests {
    private func answer(
        _ authority: String?,
        _ target: String = "/generate_204",
        from peer: String = "10.66.0.17",
        scheme: String = "http",
        method: HTTPRequest.Method = .get,
        address: String? = "10.66.0.1"
    ) -> WebResponse? {
        let head = Gate.Head(
            method,
            scheme: scheme,
            authority: authority,
            target: target,
            peer: PeerAddress(peer)
        )
        return CaptivePortal(HostNames(["balcony"])) { address }.answer(head)
    }

    @Test(arguments: [
        ("connectivitycheck.gstatic.com", "/generate_204"),
        ("captive.apple.com", "/hotspot-detect.html"),
        ("www.msftconnecttest.com", "/connecttest.txt"), ("www.msftncsi.com", "/ncsi.txt"),
        ("nmcheck.gnome.org", "/check_network_status.txt"),
        ("connectivity-check.ubuntu.com:80", "/"), ("nmcheck.gnome.org", "/nm-check.txt"),
    ])
    func leadsAPhoneToThePage(authority: String, target: String) {
        for peer in ["10.66.0.17", "::ffff:10.66.0.17"] {
            let response = answer(authority, target, from: peer)
            #expect(response?.status == .found)
            #expect(response?.headers[.location] == "http://10.66.0.1/")
        }
    }

    @Test func answersItsOwnNamesItself() {
        for host in ["balcony", "balcony.local", "10.66.0.1", "balcony-2.local", "[::1]:80"] {
            #expect(answer(host) == nil)
        }
        #expect(answer(nil) == nil)
    }

    @Test func leavesEveryOtherRequestToTheGate() {
        let host = "captive.apple.com"
        #expect(answer(host, address: nil) == nil)
        #expect(answer(host, scheme: "https") == nil)
        #expect(answer(host, method: .post) == nil)
        for peer in ["10.66.1.17", "10.66.0.1", "192.168.1.7", "fe80::1", "", "10.66.0.17.1"] {
            #expect(answer(host, from: peer) == nil)
        }
    }
}
