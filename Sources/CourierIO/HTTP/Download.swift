import CCurl
import Core
import Glibc
import RoostCourier

/// Downloads a file piece by piece to a descriptor; it blocks, so it is for commands only.
package enum Download {
    /// Redirections that are followed.
    private static let redirectMax = 5
    private static let connectSeconds = 30
    /// Bytes a second below which a server is given up after a minute.
    private static let slowestBytes = 100
    private static let slowestSeconds = 60
    /// Seconds for the whole file, if the caller sets no other limit: 250 MiB at 12 KiB a second.
    package static let secondsMax = 6 * 3_600

    /// Downloads over an encrypted connection, from servers that the machine trusts.
    ///
    /// - Parameters:
    ///   - descriptor: Where the bytes go.
    ///   - seconds: How long it may take, from 1.
    /// - Throws: `NetworkFailure`; bytes may have been written before.
    package static func run(
        _ address: String,
        to descriptor: Int32,
        within seconds: Int = secondsMax
    ) throws(NetworkFailure) {
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        let handle = try CurlHandle()
        try handle.set(CURLOPT_URL, address)
        for option in [CURLOPT_PROTOCOLS_STR, CURLOPT_REDIR_PROTOCOLS_STR] {
            try handle.set(option, "https")
        }
        try handle.set(CURLOPT_SSLVERSION, ccurl_tls_1_2())
        try handle.set(CURLOPT_FOLLOWLOCATION, 1)
        try handle.set(CURLOPT_MAXREDIRS, redirectMax)
        try handle.set(CURLOPT_FAILONERROR, 1)
        try handle.set(CURLOPT_NOSIGNAL, 1)
        try handle.set(CURLOPT_CONNECTTIMEOUT, connectSeconds)
        try handle.set(CURLOPT_TIMEOUT, seconds)
        try handle.set(CURLOPT_LOW_SPEED_LIMIT, slowestBytes)
        try handle.set(CURLOPT_LOW_SPEED_TIME, slowestSeconds)
        try handle.set(CURLOPT_USERAGENT, "roost/\(RoostVersion.text)")
        var target = descriptor
        let code = withUnsafeMutablePointer(to: &target) { target in
            _ = ccurl_on_body(
                handle.easy,
                { bytes, size, count, target in
                    guard let bytes, let target else { return 0 }
                    let descriptor = target.assumingMemoryBound(to: Int32.self).pointee
                    return Download.write(bytes, size * count, to: descriptor)
                },
                target
            )
            return curl_easy_perform(handle.easy)
        }
        guard code != CURLE_OK else { return }
        let status = handle.long(CURLINFO_RESPONSE_CODE)
        let words = String(cString: curl_easy_strerror(code))
        throw NetworkFailure(.local, status >= 400 ? "the server answers \(status)" : words)
    }

    /// - Returns: Bytes that were written; fewer end the transfer.
    private static func write(
        _ bytes: UnsafeMutablePointer<CChar>,
        _ count: Int,
        to descriptor: Int32
    ) -> Int {
        var done = 0
        while done < count {
            let written = Glibc.write(descriptor, bytes + done, count - done)
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return done }
            done += written
        }
        return done
    }
}
