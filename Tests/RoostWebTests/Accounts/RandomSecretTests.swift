import Testing

@testable import RoostWeb

@Suite struct RandomSecretTests {
    /// Whatever the last bytes are, a difference before them counts.
    @Test func comparesEachByte() {
        for last in UInt8.min ... .max {
            for other in UInt8.min ... .max {
                #expect(!RandomSecret.isSame([1, last], [2, other]))
                #expect(RandomSecret.isSame([last, other], [last, other]))
            }
        }
        #expect(!RandomSecret.isSame([1], [1, 0]))
        #expect(RandomSecret.isSame([], []))
    }
}
