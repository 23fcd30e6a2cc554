import FileIO
import Glibc

/// A certificate that the station's owner brought, in two files that may change at any time.
///
/// They are looked at at each new connection: no timer runs for them.
package struct OwnCertificate {
    /// Paths of both files.
    package struct Place: Hashable, Sendable {
        package let certificate: String
        package let key: String

        package init(certificate: String, key: String) {
            (self.certificate, self.key) = (certificate, key)
        }
    }

    final class Served {
        let context: TLSContext
        let certificate: Certificate

        init(_ context: TLSContext, _ certificate: Certificate) {
            (self.context, self.certificate) = (context, certificate)
        }
    }

    /// A file's identity, size and time, by which changes are seen.
    private struct Stamp: Hashable {
        var device: UInt64 = 0
        var inode: UInt64 = 0
        var size: Int64 = 0
        var seconds: Int = 0
        var nanoseconds: Int = 0

        init(_ path: String) {
            var info = stat()
            guard stat(path, &info) == 0 else { return }
            (device, inode, size) = (UInt64(info.st_dev), UInt64(info.st_ino), Int64(info.st_size))
            (seconds, nanoseconds) = (info.st_mtim.tv_sec, info.st_mtim.tv_nsec)
        }
    }

    private let place: Place
    private let names: [String]
    private var stamps: [Stamp] = []
    /// Newest valid pair of the files.
    private var newest: Served?
    /// Pair before it, which serves while the newest one is expired.
    private var before: Served?
    /// Pair whose expiry was reported.
    private var ended: Served?

    /// Reads nothing yet; the certificate is to be for one of `names`.
    init(_ place: Place, names: [String]) { (self.place, self.names) = (place, names) }

    /// Looks at both files again, when they changed.
    ///
    /// A wrong pair leaves the one before in use, as the two files change one after the other. The
    /// clock only decides for this moment: a certificate that a wrong clock ended serves again when
    /// the clock is right. A fault is to be logged, and is returned once for each state of the
    /// files.
    mutating func look(now: Int64) -> (served: Served?, fault: String?) {
        let present = [Stamp(place.certificate), Stamp(place.key)]
        var fault: String?
        if present != stamps {
            stamps = present
            do throws(Fault) { (newest, before) = (try load(), newest) } catch {
                fault = error.description
            }
        }
        if let newest, now >= newest.certificate.until, ended !== newest {
            ended = newest
            fault = Fault.expired(place.certificate, newest.certificate.until).description
        }
        let served = [newest, before].compactMap(\.self).first { now < $0.certificate.until }
        return (served, fault)
    }

    private func load() throws(Fault) -> Served {
        let (chain, key) = (try read(place.certificate), try read(place.key))
        let certificate: Certificate
        do { certificate = try Certificate(chain) } catch {
            throw .damaged(place.certificate, "it holds no certificate: \(error)")
        }
        guard certificate.hasKey(key) else { throw .otherKey(place) }
        guard names.contains(where: certificate.isFor) else {
            throw .otherName(place.certificate, certificate.names, names)
        }
        do {
            return Served(try TLSContext(certificates: chain, key: key), certificate)
        } catch { throw .damaged(place.certificate, error.description) }
    }

    private func read(_ path: String) throws(Fault) -> String {
        do {
            guard let bytes = try Files.readIfThere(path, limit: 64 << 10, allowing: .links) else {
                throw Fault.missing(path)
            }
            return String(decoding: bytes, as: UTF8.self)
        } catch let error as FileError {
            throw .unreadable(error)
        } catch let fault as Fault {
            throw fault
        } catch { throw .missing(path) }
    }

    /// The reason why it is not served.
    enum Fault: Error, CustomStringConvertible {
        case missing(String)
        case unreadable(FileError)
        case damaged(String, String)
        case otherKey(Place)
        case expired(String, Int64)
        case otherName(String, String, [String])

        var description: String {
            switch self {
            case .missing(let path): "\(path) is not there"
            case .unreadable(let failure):
                "\(failure); let the dashboard read it: chgrp roost-web, chmod 640"
            case .damaged(let path, let words): "\(path): \(words)"
            case .otherKey(let place):
                "\(place.key) is not the key of \(place.certificate): name both of one pair"
            case .expired(let path, let until):
                "\(path) ended at \(AccountText.date(until)): renew it"
            case .otherName(let path, let found, let names):
                "\(path) is for \(found), not for \(names.joined(separator: ", ")): "
                    + "name the host with --host"
            }
        }
    }
}
