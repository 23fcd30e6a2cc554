import Testing

@testable import RoostWeb

@Suite struct CertificateNamesTests {
    @Test func takesNamesAndTheirLocalForms() {
        let names = CertificateNames(["Balcony", "pi", "air.example.org", "balcony.local"])
        #expect(names.names == ["air.example.org", "balcony", "balcony.local", "pi", "pi.local"])
    }

    /// A name must not be able to add a line to the constraints.
    @Test(arguments: [
        "", "a,permitted;DNS:bank.example", "Balkon Süd", "-a", "a-", "a..b", ".", "10.0.0.7",
        "localhost", "a\nb", String(repeating: "x", count: 64), "*.example.org",
    ])
    func leavesOutWhatIsNoName(text: String) {
        #expect(CertificateNames([text]).names == ["roost.local"])
        #expect(CertificateNames(["a", text]).names == ["a", "a.local"])
    }

    @Test func hasABound() {
        let names = CertificateNames((0..<100).map { "n\($0)" }).names
        #expect(names.count == CertificateNames.nameMax)
    }

    @Test(arguments: [
        ("10.1.2.3", true), ("172.16.0.1", true), ("172.31.255.255", true), ("172.32.0.1", false),
        ("192.168.1.7", true), ("192.169.1.7", false), ("169.254.9.9", true), ("127.0.0.1", false),
        ("8.8.8.8", false), ("fd12::7", true), ("fe80::1", false), ("2001:db8::1", false),
        ("::1", false), ("balcony", false), ("", false),
    ])
    func knowsPrivateAddresses(address: String, isPrivate: Bool) {
        #expect(CertificateNames.isPrivate(address) == isPrivate)
    }
}
