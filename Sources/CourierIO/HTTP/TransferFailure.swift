import CCurl
import Glibc
import HardwareIO
import LinuxIO
import RoostCourier

/// Explains libcurl's error codes, as far as a person can act on the difference.
struct TransferFailure {
    /// OpenSSL's codes for a certificate that is not valid at this time.
    private static let notYetValid = 9
    private static let expired = 10
    /// Value that libcurl leaves when the chain of certificates is right and the name is not.
    private static let undecided = 1

    let place: ServerAddress
    /// The value of `CURLINFO_SSL_VERIFYRESULT`.
    var verifyResult = 0
    /// The value of `CURLINFO_OS_ERRNO`.
    var systemError = 0
    var wasSent = false
    /// Whether the server has an address of the own network.
    var isNear = false
    /// Date of this machine's clock, right or wrong, such as `2026-11-22`.
    var today = ""

    func failure(_ code: CURLcode) -> NetworkFailure {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            made(.unknownHost, "no name server has an address for \(place.host)")
        case CURLE_COULDNT_RESOLVE_PROXY:
            made(.unknownHost, "no name server has an address for the proxy")
        case CURLE_COULDNT_CONNECT: connectFailure
        case CURLE_OPERATION_TIMEDOUT: made(.connectTimedOut, "\(name) took too long")
        case CURLE_PEER_FAILED_VERIFICATION: certificateFailure
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            made(.certificate, "\(name) shows a certificate of another key than the one given")
        case CURLE_SSL_CACERT_BADFILE:
            made(.local, "the file of trusted authorities cannot be read")
        case CURLE_SSL_CONNECT_ERROR:
            made(.encryption, "\(name) does not agree on encryption; is the port right?")
        case CURLE_USE_SSL_FAILED:
            made(.encryption, "\(name) offers no encryption (STARTTLS), and it is required")
        case CURLE_LOGIN_DENIED: made(.notAuthorised, "\(name) refuses the log-in")
        case CURLE_OUT_OF_MEMORY: made(.local, "no memory")
        case CURLE_READ_ERROR, CURLE_SEND_FAIL_REWIND:
            made(.local, "the body could not be read, or not a second time")
        default: answerFailure(code)
        }
    }

    private var name: String { place.text }

    private func made(_ stage: NetworkFailure.Stage, _ words: String) -> NetworkFailure {
        var failure = NetworkFailure(stage, words, wasSent: wasSent)
        failure.isNear = isNear
        return failure
    }

    private func answerFailure(_ code: CURLcode) -> NetworkFailure {
        switch code {
        case CURLE_GOT_NOTHING:
            return made(.closed, "\(name) closed the connection without an answer")
        case CURLE_PARTIAL_FILE:
            return made(.closed, "\(name) closed the connection in the middle of its answer")
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2_STREAM:
            return made(.closed, "\(name) broke the connection")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING,
            CURLE_HTTP2:
            return made(.malformed, "\(name) answers something that is no HTTP")
        default:
            let words = String(cString: curl_easy_strerror(code))
            return made(.closed, "\(name): \(words) (libcurl \(code.rawValue))")
        }
    }

    private var connectFailure: NetworkFailure {
        switch Int32(truncatingIfNeeded: systemError) {
        case ECONNREFUSED:
            made(.refused, "\(name) refuses the connection; does a server listen there?")
        case ETIMEDOUT: made(.connectTimedOut, "\(name) does not answer")
        case EHOSTUNREACH, ENETUNREACH, ENETDOWN:
            made(.unreachable, "no way to \(name); is the network up?")
        case 0: made(.unreachable, "cannot connect to \(name)")
        case let code:
            made(.unreachable, "cannot connect to \(name): \(LinuxError.text(of: code))")
        }
    }

    /// Failure of a certificate; a wrong name is found by libcurl, not by OpenSSL.
    private var certificateFailure: NetworkFailure {
        switch verifyResult {
        case 0, Self.undecided:
            return made(.certificate, "the certificate of \(name) is for another name")
        case Self.notYetValid:
            let words = "the certificate of \(name) is not yet valid: this machine believes it is "
            return made(.certificateTime, words + today)
        case Self.expired:
            let words = "the certificate of \(name) has expired; this machine believes it is "
            return made(.certificateTime, words + today)
        case let code:
            let reason = CertificateReason.text(code)
            return made(.certificate, "the certificate of \(name) is not trusted: \(reason)")
        }
    }
}

/// Sentences for OpenSSL's codes of certificate verification.
enum CertificateReason {
    /// - Source: OpenSSL 3, `X509_STORE_CTX_get_error(3)`.
    static func text(_ code: Int) -> String {
        switch code {
        case 18: "it signed itself"
        case 19: "an authority that signed itself and is not among the trusted ones"
        case 2, 20: "its authority is not among the trusted ones"
        case 21: "it came without its authority"
        case 23: "it was revoked"
        case 26: "it is not for servers"
        case 47, 48: "its authority may not sign this name"
        case 62, 64: "it is for another name"
        default: "OpenSSL's reason \(code)"
        }
    }
}
