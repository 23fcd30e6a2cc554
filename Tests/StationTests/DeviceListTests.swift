import SimulationKit
import Synchronization
import Testing

@testable import Station

@Suite struct DeviceListTests {
    @Test func canBeAskedForYears() {
        let board = DeviceList(clock: SimulatedClock())
        let told = Mutex(0)
        board.join { told.withLock { $0 += 1 } }
        board.add(name: "dust", type: "sds011", location: "/dev/ttyUSB0")
        // What is wrapped once more at each access fills the stack of this thread long before.
        for _ in 0..<50_000 {
            #expect(board.facts.first?.trouble == nil)
            board.detached("dust", trouble: nil)
        }
        #expect(told.withLock { $0 } == 50_000)
    }
}
