import ControlProtocol
import Testing

@testable import Eyes

@Suite struct MachineBoundsTests {
    private static let bounds = MachineBounds(celsiusMax: 75, freeMegabytesMin: 64)

    @Test func eachBoundRefusesByItself() {
        typealias Facts = MachineBounds.Facts
        let bounds = Self.bounds
        #expect(bounds.refusal(Facts()) == nil)
        #expect(bounds.refusal(Facts(celsius: 74.9, freeMegabytes: 64)) == nil)
        #expect(bounds.refusal(Facts(celsius: 75, freeMegabytes: 64))?.state == .hot)
        #expect(bounds.refusal(Facts(celsius: 20, freeMegabytes: 63))?.state == .memory)
    }
}
