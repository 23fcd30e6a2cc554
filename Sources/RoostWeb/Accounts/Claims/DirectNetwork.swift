import FileIO
import Glibc

/// The networks of this machine's own cables and radios, without a router in between.
struct DirectNetwork: Sendable {
    /// An IPv4 interface's address and mask.
    struct Subnet: Hashable, Sendable {
        let address: UInt32
        let mask: UInt32

        func contains(_ other: UInt32) -> Bool { other & mask == address & mask }
    }

    /// Interfaces that are looked at, at most.
    private static let interfaceMax = 64

    /// The machine's networks, read at each question: they come and go.
    var subnets: @Sendable () -> [Subnet] = { Self.ofMachine() }
    /// Whether the subnet is the station's open access point, whose visitors may be strangers.
    var isOpen: @Sendable (Subnet) -> Bool = { Self.isOfAccessPoint($0) }

    /// Whether a private IPv4 address is another machine's in one of these networks.
    ///
    /// The machine's own addresses are not: behind them may be a proxy or a tunnel, whose visitors
    /// are anywhere. IPv6 does not count, since an address does not say by which interface it came.
    func contains(_ peer: PeerAddress) -> Bool {
        guard LocalNetwork.contains(peer) else { return false }
        var text = peer.text.lowercased()[...]
        if text.hasPrefix("::ffff:"), text.contains(".") { text = text.dropFirst(7) }
        var address = in_addr()
        guard inet_pton(AF_INET, String(text), &address) == 1 else { return false }
        let number = UInt32(bigEndian: address.s_addr)
        guard number >> 24 != 127 else { return false }
        let all = subnets().filter { !isOpen($0) }
        guard !all.contains(where: { $0.address == number }) else { return false }
        return all.contains { $0.contains(number) }
    }

    private static func isOfAccessPoint(_ subnet: Subnet) -> Bool {
        do throws(FileError) {
            guard let text = try accessPoint() else { return false }
            var address = in_addr()
            return inet_pton(AF_INET, text, &address) != 1
                || UInt32(bigEndian: address.s_addr) == subnet.address
        } catch { return true }
    }

    /// The station's address in its own access point; nil where there is none now.
    ///
    /// - Source: packaging/image/root/usr/lib/roost/access-point.
    static func accessPoint(root: String = "") throws(FileError) -> String? {
        let path = "\(root)/run/roost-access-point/address"
        let bytes = try Files.readIfThere(path, limit: 64 << 10, allowing: .links)
        return bytes.map { String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self) }
    }

    /// The networks of interfaces that are up, can send to all in them and have a device of their
    /// own: no loopback, no VPN, no bridge to containers.
    ///
    /// By `ioctl` on an IPv4 socket (netdevice(7)): the sandbox has no netlink for `getifaddrs`.
    /// Interfaces that cannot be read are left out.
    private static func ofMachine() -> [Subnet] {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var entries = [ifreq](repeating: ifreq(), count: interfaceMax)
        let size = MemoryLayout<ifreq>.stride
        let count = entries.withUnsafeMutableBytes { bytes -> Int in
            var list = ifconf()
            list.ifc_len = Int32(bytes.count)
            list.ifc_ifcu.ifcu_buf = bytes.bindMemory(to: CChar.self).baseAddress
            guard ioctl(descriptor, UInt(SIOCGIFCONF), &list) == 0 else { return 0 }
            return Int(list.ifc_len) / size
        }
        return entries.prefix(count).compactMap { subnet($0, descriptor) }
    }

    private static func subnet(_ entry: ifreq, _ descriptor: CInt) -> Subnet? {
        var (flags, mask) = (entry, entry)
        guard ioctl(descriptor, UInt(SIOCGIFFLAGS), &flags) == 0,
            ioctl(descriptor, UInt(SIOCGIFNETMASK), &mask) == 0
        else { return nil }
        let bits = UInt32(UInt16(bitPattern: flags.ifr_ifru.ifru_flags))
        let wanted = UInt32(IFF_UP | IFF_BROADCAST)
        let refused = UInt32(IFF_LOOPBACK | IFF_POINTOPOINT)
        guard bits & wanted == wanted, bits & refused == 0, isDevice(entry) else { return nil }
        return Subnet(
            address: number(entry.ifr_ifru.ifru_addr),
            mask: number(mask.ifr_ifru.ifru_netmask)
        )
    }

    /// Whether there is hardware behind an interface, as the kernel's device model has it.
    private static func isDevice(_ entry: ifreq) -> Bool {
        let name = withUnsafeBytes(of: entry.ifr_ifrn.ifrn_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return access("/sys/class/net/\(name)/device", F_OK) == 0
    }

    private static func number(_ address: sockaddr) -> UInt32 {
        withUnsafeBytes(of: address) { bytes in
            let place = MemoryLayout<sockaddr_in>.offset(of: \.sin_addr) ?? 4
            return UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
        }
    }
}
