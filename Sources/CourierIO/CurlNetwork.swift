import CCurl
import CMosquitto
import LinuxIO
import RoostCourier

/// The network of a courier: libcurl and libmosquitto on the event loop.
package final class CurlNetwork: Sendable {
    private let loop: EventLoop

    package init(on loop: EventLoop) { self.loop = loop }
}
