/// A station's settings from the files of its boot partition; nil where they have none.
package struct ProvisionedSettings: Hashable, Sendable {
    /// Name in the network: `balcony` of `balcony.local`.
    package var hostName: String?
    package var wireless: WirelessNetwork?
    /// Two capital letters (ISO 3166): which channels the radio may use.
    package var country: String?
    /// Time zone such as `Europe/Berlin`.
    package var timeZone: String?
    /// Keyboard layout such as `de`.
    package var keyboard: String?
    package var user: LoginUser?
    /// Whether a password opens SSH, and not a key alone.
    package var acceptsPasswords = false
    package var accessPoint: AccessPointRule?

    package init() {}

    package var isEmpty: Bool { self == ProvisionedSettings() }
}

/// A Wi-Fi network of the owner.
package struct WirelessNetwork: Hashable, Sendable {
    package enum Secret: Hashable, Sendable {
        case none
        /// 8 to 63 characters.
        case passphrase(String)
        /// 64 hexadecimal digits, made of name and passphrase.
        case key(String)
        /// The password was taken into the station before.
        case taken
    }

    /// 1 to 32 bytes, which need not be text.
    package var name: [UInt8]
    package var secret: Secret
    /// Whether the network does not say its name.
    var isHidden: Bool

    package init(name: [UInt8], secret: Secret, isHidden: Bool = false) {
        (self.name, self.secret, self.isHidden) = (name, secret, isHidden)
    }

    package init(name: String, secret: Secret, isHidden: Bool = false) {
        self.init(name: Array(name.utf8), secret: secret, isHidden: isHidden)
    }
}

/// A user who may log in at a shell.
package struct LoginUser: Hashable, Sendable {
    package var name: String
    /// Lines of `authorized_keys`.
    package var keys: [String]
    /// Password hash as in crypt(5); nil: no password opens the account.
    package var passwordHash: String?

    package init(name: String, keys: [String] = [], passwordHash: String? = nil) {
        (self.name, self.keys, self.passwordHash) = (name, keys, passwordHash)
    }
}
