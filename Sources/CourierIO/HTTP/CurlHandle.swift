import CCurl
import RoostCourier

/// One transfer of libcurl with its settings and lists.
///
/// It belongs to one task, on the loop's thread.
final class CurlHandle {
    let easy: UnsafeMutableRawPointer
    private var lists: [UnsafeMutablePointer<curl_slist>] = []

    /// - Throws: `NetworkFailure` when memory is short.
    init() throws(NetworkFailure) {
        guard let easy = curl_easy_init() else { throw NetworkFailure(.local, "no memory") }
        self.easy = easy
    }

    deinit {
        curl_easy_cleanup(easy)
        for list in lists { curl_slist_free_all(list) }
    }

    func set(_ option: CURLoption, _ value: Int) throws(NetworkFailure) {
        try check(ccurl_long(easy, option, value), option)
    }

    /// Sets an option; libcurl copies the text.
    func set(_ option: CURLoption, _ value: String?) throws(NetworkFailure) {
        try check(ccurl_text(easy, option, value), option)
    }

    func setSize(_ option: CURLoption, _ value: Int) throws(NetworkFailure) {
        try check(ccurl_size(easy, option, curl_off_t(value)), option)
    }

    func set(_ option: CURLoption, _ lines: [String]) throws(NetworkFailure) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                throw NetworkFailure(.local, "no memory")
            }
            list = longer
        }
        if let list { lists.append(list) }
        try check(ccurl_list(easy, option, list), option)
    }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_get_long(easy, info, &value) == CURLE_OK ? value : 0
    }

    /// Reads a time in microseconds, or a count in bytes.
    func size(_ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        return ccurl_get_size(easy, info, &value) == CURLE_OK ? Int(value) : 0
    }

    private func check(_ code: CURLcode, _ option: CURLoption) throws(NetworkFailure) {
        guard code != CURLE_OK else { return }
        let words = String(cString: curl_easy_strerror(code))
        throw NetworkFailure(.local, "libcurl refuses option \(option.rawValue): \(words)")
    }
}
