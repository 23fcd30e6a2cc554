import CLinux
import Core
import Glibc

/// Watches a descriptor of a C library that expects to be called as long as there is something.
///
/// The loop itself is edge-triggered. libcurl and libmosquitto read as much as they like and rely
/// on being called again, so their descriptors are registered level-triggered.
package final class LevelWatch: Sendable {
    package struct Events: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let readable = Events(rawValue: 1)
        package static let writable = Events(rawValue: 2)
        /// The other side has gone, or the socket has an error.
        package static let failed = Events(rawValue: 4)
    }

    private let watched: Watched
    private let loop: EventLoop

    /// Starts watching; nothing is expected yet.
    ///
    /// - Parameters:
    ///   - loop: Calls `body` on its thread and outside of any task.
    package init(
        _ descriptor: Int32,
        on loop: EventLoop,
        _ body: @escaping @Sendable (Events) -> Void
    ) throws(LinuxError) {
        self.loop = loop
        watched = try loop.register(descriptor)
        watched.eachEvent { body(Self.events($0)) }
    }

    /// Sets the events to watch for; `failed` is always watched for.
    package func expect(_ events: Events) throws(LinuxError) {
        var mask: UInt32 = 0
        if events.contains(.readable) { mask |= EPOLLIN.rawValue }
        if events.contains(.writable) { mask |= EPOLLOUT.rawValue }
        try loop.control(EPOLL_CTL_MOD, watched.descriptor, mask)
    }

    /// Ends watching; call it before the descriptor is closed.
    ///
    /// Safe to call twice.
    package func close() { watched.close() }

    private static func events(_ mask: UInt32) -> Events {
        var events: Events = []
        if mask & EPOLLIN.rawValue != 0 { events.insert(.readable) }
        if mask & EPOLLOUT.rawValue != 0 { events.insert(.writable) }
        if mask & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { events.insert(.failed) }
        return events
    }
}
