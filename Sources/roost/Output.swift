import Glibc

/// Standard output and standard error, unbuffered: a line is out when it is said.
enum Output {
    static func line(_ text: String) { write(text + "\n", to: 1) }

    static func error(_ text: String) { write("roost: \(text)\n", to: 2) }

    /// Writes everything; ends the process quietly when nobody reads any more, as `head` does.
    static func write(_ text: String, to descriptor: Int32 = 1) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                guard errno == EINTR || errno == EAGAIN else { exit(errno == EPIPE ? 0 : 1) }
                continue
            }
            bytes = bytes.dropFirst(count)
        }
    }
}
