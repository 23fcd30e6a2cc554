import Glibc
import HardwareIO
import Testing

@testable import LinuxIO

@Suite struct UdevQueueTests {
    private let plugged = UdevRecording.ch340.events[0]

    @Test func asksForASnapshotFirstAndDropsWhatIsOlder() throws {
        var queue = UdevQueue()
        #expect(queue.isSnapshotDue)
        var socket: [UdevReceipt] = [.properties(plugged), .ignored, .overrun, .empty]
        try queue.prepareSnapshot { socket.removeFirst() }
        #expect(socket.isEmpty && !queue.isSnapshotDue && queue.overrunCount == 1)
    }

    @Test func tellsEventsInOrderAndStopsAtTheEnd() throws {
        var queue = try ready()
        queue.recordReadable()
        var socket = UdevRecording.ch340.events.map(UdevReceipt.properties)
        socket.insert(.ignored, at: 1)
        socket.append(.empty)
        let events = try queue.receive { socket.removeFirst() }
        #expect(events == UdevRecording.ch340.events.compactMap { .init(udevProperties: $0) })
        #expect(events.count == 3 && !queue.mayHaveMore)
        // The end is known, so the socket is not read any more.
        #expect(try queue.receive { .failed(errno: EBADF) } == [])
    }

    @Test func takesASnapshotAfterAnOverrun() throws {
        var queue = try ready()
        queue.recordReadable()
        var socket: [UdevReceipt] = [.properties(plugged), .overrun, .properties(plugged), .empty]
        #expect(try queue.receive { socket.removeFirst() } == [])
        #expect(queue.isSnapshotDue && queue.overrunCount == 1)
        try queue.prepareSnapshot { socket.removeFirst() }
        #expect(socket.isEmpty && !queue.isSnapshotDue)
    }

    @Test func takesABatchAtATime() throws {
        var queue = try ready()
        queue.recordReadable()
        let events = try queue.receive { .properties(plugged) }
        #expect(events.count == UdevQueue.batch && queue.mayHaveMore)
    }

    @Test func endsWhenTheSocketIsOfNoUse() throws {
        var queue = try ready()
        queue.recordReadable()
        let error = HotplugError.unavailable(call: "udev_monitor_receive_device", errno: EBADF)
        #expect(throws: error) { try queue.receive { .failed(errno: EBADF) } }
        #expect(error.description.contains("no hotplug events here"))
    }

    private func ready() throws -> UdevQueue {
        var queue = UdevQueue()
        try queue.prepareSnapshot { .empty }
        return queue
    }
}
