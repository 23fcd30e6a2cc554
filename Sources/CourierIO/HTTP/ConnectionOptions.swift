import CCurl
import Core
import RoostCourier

/// Options of libcurl for the connection of every transfer.
struct ConnectionOptions {
    let settings: CurlSettings
    let route: OutboundRoute
    let trust: ServerTrust

    func apply(to handle: CurlHandle) throws(NetworkFailure) {
        try handle.set(CURLOPT_NOSIGNAL, 1)
        try handle.set(CURLOPT_PROTOCOLS_STR, "http,https,smtp,smtps")
        try handle.set(CURLOPT_FOLLOWLOCATION, 0)
        // Without it, the end of a transfer would wait for a name server that does not answer.
        try handle.set(CURLOPT_QUICK_EXIT, 1)
        // The stages have shorter deadlines; of several addresses each gets half of this one.
        let isOne = route.addresses.count <= 1
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, isOne ? 26_000 : 20_000)
        try handle.set(CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, 250)
        try handle.set(CURLOPT_BUFFERSIZE, 16 << 10)
        try handle.set(CURLOPT_UPLOAD_BUFFERSIZE, 16 << 10)
        try handle.set(CURLOPT_NETRC, 0)
        try handle.set(CURLOPT_PROXY, settings.proxy?.revealed ?? "")
        try handle.set(CURLOPT_SSLVERSION, ccurl_tls_1_2())
        try resolve(handle)
        try setTrust(handle)
    }

    /// Sets the addresses that were looked up, so that libcurl asks no name server.
    private func resolve(_ handle: CurlHandle) throws(NetworkFailure) {
        guard !route.next.isNumeric else { return }
        let list = route.addresses.map(AddressRule.text).joined(separator: ",")
        // The plus lets the entry expire; the next transfer sets its own anyway.
        try handle.set(CURLOPT_RESOLVE, ["+\(route.next.host):\(route.next.port):\(list)"])
    }

    private func setTrust(_ handle: CurlHandle) throws(NetworkFailure) {
        try handle.set(CURLOPT_CAINFO, nil)
        try handle.set(CURLOPT_CAPATH, nil)
        switch trust {
        case .system: try handle.set(CURLOPT_CAPATH, settings.authorities)
        case .authority(let path): try handle.set(CURLOPT_CAINFO, path)
        case .publicKey(let digest):
            guard let bytes = Base64.bytes(digest), bytes.count == 32 else {
                throw NetworkFailure(.local, "a public key's SHA-256 is 32 bytes in base64")
            }
            try handle.set(CURLOPT_SSL_VERIFYPEER, 0)
            try handle.set(CURLOPT_SSL_VERIFYHOST, 0)
            try handle.set(CURLOPT_PINNEDPUBLICKEY, "sha256//\(Base64.text(bytes))")
        }
    }
}
