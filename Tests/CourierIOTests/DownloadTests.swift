import Glibc
import Testing

@testable import CourierIO
@testable import RoostCourier

@Suite struct DownloadTests {
    /// A server that sends nothing, or too little, ends with the download's time.
    @Test func endsWhenItsTimeIsOver() throws {
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listening) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isReady = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listening, pointer, size) == 0 && listen(listening, 1) == 0
                    && getsockname(listening, pointer, &size) == 0
            }
        }
        try #require(isReady)
        let port = UInt16(bigEndian: address.sin_port)
        let began = Self.seconds
        #expect(throws: NetworkFailure.self) {
            try Download.run("https://127.0.0.1:\(port)/roost.update", to: 1, within: 1)
        }
        #expect(Self.seconds - began < 15)
    }

    private static var seconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec
    }
}
