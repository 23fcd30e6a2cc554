import Testing

@testable import RoostWeb

@Suite struct ConnectionSharesTests {
    @Test func fourAddressesDoNotHoldEverything() {
        var shares = ConnectionShares(limit: 64)
        for number in 0..<64 {
            let address = "10.0.0.\(number % 4)"
            #expect(shares.admit(number, from: address, isKnown: false) == .admitted)
        }
        #expect(shares.admit(64, from: "10.0.0.0", isKnown: false) == .refused)
        // A newcomer takes the place of the oldest of those who have most.
        #expect(shares.admit(65, from: "10.0.0.9", isKnown: false) == .inPlaceOf(0))
        shares.end(0)
        for number in 66..<80 {
            guard case .inPlaceOf(let old) = shares.admit(number, from: "10.0.0.9", isKnown: false)
            else { break }
            shares.end(old)
        }
        // Each of five has about a fifth, and no more than 64 are open.
        #expect(shares.counts.values.sorted() == [12, 13, 13, 13, 13])
        #expect(shares.counts.values.reduce(0, +) == 64)
    }

    /// A computer with many addresses does not keep out people who are logged in.
    @Test func aKnownAddressTakesThePlaceOfAStranger() {
        var shares = ConnectionShares(limit: 64)
        for number in 0..<64 {
            let isKnown = number < 2
            let answer = shares.admit(number, from: "10.0.0.\(number)", isKnown: isKnown)
            #expect(answer == .admitted)
        }
        #expect(shares.admit(64, from: "10.0.1.1", isKnown: false) == .refused)
        #expect(shares.admit(65, from: "10.0.1.1", isKnown: true) == .inPlaceOf(2))
        shares.end(2)
        #expect(shares.admit(66, from: "10.0.1.1", isKnown: true) == .inPlaceOf(3))
    }

    @Test func whatEndsMakesRoom() {
        var shares = ConnectionShares(limit: 4)
        #expect(shares.admit(1, from: "a", isKnown: false) == .admitted)
        #expect(shares.admit(2, from: "a", isKnown: false) == .refused)
        shares.end(1)
        shares.end(1)
        #expect(shares.counts.isEmpty)
        #expect(shares.admit(3, from: "a", isKnown: false) == .admitted)
    }
}
