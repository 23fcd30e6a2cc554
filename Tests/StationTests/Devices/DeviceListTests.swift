import Synchronization
import Testing

@testable import SimulationKit
@testable import Station

@Suite struct DeviceListTests {
    @Test func canBeAskedForYears() {
        let board = DeviceList(clock: SimulatedClock())
        let told = Mutex(0)
        board.join { told.withLock { $0 += 1 } }
        board.add(name: "dust", type: "sds011", location: "/dev/ttyUSB0")
        // If each access wrapped a closure once more, 50 000 would overflow this thread's stack.
        for _ in 0..<50_000 {
            #expect(board.facts.first?.trouble == nil)
            board.detached("dust", trouble: nil)
        }
        #expect(told.withLock { $0 } == 50_000)
    }
}
