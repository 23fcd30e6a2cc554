import CCamera
import Glibc

/// Pictures of a camera of the kernel (V4L2), one after another.
///
/// Takes JPEG where the camera gives it, else YUYV, which the system's libturbojpeg encodes.
/// Belongs to one thread. Only the process that reads the camera makes one: calls of a driver can
/// hang.
package final class CameraStream {
    /// The requested format.
    package struct Wish: Hashable, Sendable {
        package var width: Int
        package var height: Int
        /// Frames in a second; nil for the camera's own rate.
        package var framesPerSecond: Int?
        /// Quality of the JPEG, 1…100.
        package var quality: Int

        package init(width: Int, height: Int, framesPerSecond: Int? = nil, quality: Int) {
            (self.width, self.height) = (width, height)
            (self.framesPerSecond, self.quality) = (framesPerSecond, quality)
        }
    }

    /// Milliseconds without a picture after which the stream ends.
    private static let silenceMilliseconds: Int32 = 5_000
    /// Cut-off frames in a row after which the stream ends.
    private static let cutMax = 100

    private let descriptor: Int32
    private let format: CameraFormat
    private let quality: Int
    private var width: UInt32
    private var height: UInt32
    private var stride: UInt32 = 0
    private var buffers = ccamera_buffers()

    /// Opens and starts the first camera that matches `choice` and gives pictures.
    ///
    /// - Parameters:
    ///   - wish: The camera takes what is nearest to it.
    /// - Returns: The stream of the first that starts.
    /// - Throws: `CameraTrouble` of the last one that is there.
    package static func open(
        _ choice: CameraChoice,
        _ wish: Wish
    ) throws(CameraTrouble) -> CameraStream {
        var trouble = CameraTrouble.absent
        for path in paths(choice) {
            do { return try CameraStream(path, wish) } catch {
                if error != .absent { trouble = error }
            }
        }
        throw trouble
    }

    private init(_ path: String, _ wish: Wish) throws(CameraTrouble) {
        let descriptor = Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.trouble("open", errno) }
        self.descriptor = descriptor
        quality = wish.quality
        (width, height) = (UInt32(wish.width), UInt32(wish.height))
        var node = ccamera_node()
        guard ccamera_query(descriptor, &node) == 0, node.is_camera != 0 else {
            format = .jpeg
            throw .absent
        }
        let best = CameraFormat.best(Self.formats(descriptor))
        format = best ?? .jpeg
        guard best != nil else { throw .formatUnknown }
        try start(wish.framesPerSecond)
    }

    deinit {
        ccamera_end(descriptor, &buffers)
        close(descriptor)
    }

    /// The size of the camera's pictures.
    package var size: (width: Int, height: Int) { (Int(width), Int(height)) }

    /// Returns the device paths to try; a path may be a link that udev made.
    private static func paths(_ choice: CameraChoice) -> [String] {
        if case .path(let path) = choice { return [path] }
        return CameraNode.all().filter { $0.isMeant(by: choice) }.map(\.path)
    }

    private static func formats(_ descriptor: Int32) -> [UInt32] {
        var found: [UInt32] = []
        var format: UInt32 = 0
        // Bound of 64: no camera has that many formats.
        while found.count < 64, ccamera_format(descriptor, UInt32(found.count), &format) == 0 {
            found.append(format)
        }
        return found
    }

    private static func trouble(_ call: String, _ code: Int32) -> CameraTrouble {
        switch code {
        case ENOENT, ENODEV, ENXIO: .absent
        case EACCES, EPERM: .forbidden
        case EBUSY: .busy
        case ENOSYS: .encoderMissing
        default: .system(call, code)
        }
    }

    private func check(_ call: String, _ code: Int32) throws(CameraTrouble) {
        if code != 0 { throw Self.trouble(call, code) }
    }

    private func start(_ framesPerSecond: Int?) throws(CameraTrouble) {
        try check(
            "VIDIOC_S_FMT",
            ccamera_set(descriptor, format.rawValue, &width, &height, &stride)
        )
        if let framesPerSecond {
            // A camera without this setting sends at its own rate.
            _ = ccamera_rate(descriptor, UInt32(framesPerSecond))
        }
        try check("VIDIOC_STREAMON", ccamera_begin(descriptor, &buffers))
    }

    /// Waits for the next picture.
    ///
    /// - Returns: A whole JPEG.
    package func next() throws(CameraTrouble) -> [UInt8] {
        for _ in 0..<Self.cutMax {
            var set = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&set, 1, Self.silenceMilliseconds) > 0 else { throw .silent }
            var index: UInt32 = 0
            var used: UInt32 = 0
            var isWhole: Int32 = 0
            let code = ccamera_take(descriptor, &index, &used, &isWhole)
            if code == EAGAIN { continue }
            try check("VIDIOC_DQBUF", code)
            let picture = isWhole != 0 ? try picture(index, used) : nil
            try check("VIDIOC_QBUF", ccamera_give(descriptor, index))
            if let picture { return picture }
        }
        throw .silent
    }

    private func picture(_ index: UInt32, _ used: UInt32) throws(CameraTrouble) -> [UInt8]? {
        guard index < buffers.count, let (start, length) = buffers[Int(index)] else { return nil }
        let bytes = UnsafeRawBufferPointer(start: start, count: min(Int(used), length))
        switch format {
        case .motionJPEG, .jpeg: return JPEGFrame.whole(Array(bytes))
        case .yuyv:
            let byteMin = Int(stride) * (Int(height) - 1) + Int(width) * 2
            guard bytes.count >= byteMin else { return nil }
            var picture: UnsafeMutablePointer<UInt8>?
            var size = 0
            let code = ccamera_jpeg(
                bytes.bindMemory(to: UInt8.self).baseAddress,
                width,
                height,
                stride,
                Int32(quality),
                &picture,
                &size
            )
            try check("tjCompressFromYUVPlanes", code)
            defer { ccamera_free(picture) }
            return Array(UnsafeBufferPointer(start: picture, count: size))
        }
    }
}

extension ccamera_buffers {
    /// The address and size of a buffer.
    fileprivate subscript(index: Int) -> (UnsafeRawPointer, Int)? {
        withUnsafeBytes(of: starts) { starts in
            withUnsafeBytes(of: lengths) { lengths in
                let place = starts.bindMemory(to: UnsafeRawPointer?.self)[index]
                return place.map { ($0, lengths.bindMemory(to: Int.self)[index]) }
            }
        }
    }
}
