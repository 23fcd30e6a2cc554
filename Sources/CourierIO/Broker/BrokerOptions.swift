import CMosquitto
import COpenSSL
import Core
import RoostCourier

/// Makes libmosquitto's handle for one broker.
struct BrokerOptions {
    let broker: BrokerSettings
    let place: ServerAddress
    /// The folder of hashed certificates that `ServerTrust.system` trusts.
    let authorities: String

    /// Returns the address of a broker's server.
    ///
    /// - Throws: `NetworkFailure` when the host or the port is none.
    static func place(of broker: BrokerSettings) throws(NetworkFailure) -> ServerAddress {
        let host = broker.host.contains(":") ? "[\(broker.host)]" : broker.host
        let scheme = broker.isEncrypted ? "mqtts" : "mqtt"
        let url = MaskedText("\(scheme)://\(host):\(broker.port)")
        return try ServerAddress(url, schemes: ["mqtt", "mqtts"])
    }

    /// Makes a handle that is not connected.
    ///
    /// - Parameter trust: The result of `makeTrust`; the handle keeps its own reference.
    /// - Returns: To be freed by `mosquitto_destroy`.
    /// - Throws: `NetworkFailure` when libmosquitto does not take a setting.
    func makeHandle(_ trust: UnsafeMutableRawPointer?) throws(NetworkFailure) -> OpaquePointer {
        guard let handle = mosquitto_new(broker.clientID, true, nil) else {
            throw NetworkFailure(.local, "libmosquitto does not start")
        }
        let version = broker.protocolVersion == 5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        var codes = [
            mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, version),
            mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1),
        ]
        if let user = broker.user {
            let password = broker.password?.reveal()
            codes.append(mosquitto_username_pw_set(handle, user, password))
        }
        if let trust {
            codes.append(mosquitto_int_option(handle, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0))
            codes.append(mosquitto_void_option(handle, MOSQ_OPT_SSL_CTX, trust))
        }
        if let will = broker.will { codes.append(set(will, handle)) }
        if broker.protocolVersion == 5 { codes.append(demandSmallPackets(handle)) }
        if let code = codes.first(where: { $0 != 0 }) {
            mosquitto_destroy(handle)
            let words = String(cString: mosquitto_strerror(code))
            throw NetworkFailure(.local, "libmosquitto does not take a setting: \(words)")
        }
        return handle
    }

    /// Sets the maximum packet size in the CONNECT (MQTT 5, section 3.1.2.11.4).
    ///
    /// Only the blocking call for connecting takes properties. It stores them before it looks at
    /// the host, and `mosquitto_connect_async` sends them: so it is called without a host.
    private func demandSmallPackets(_ handle: OpaquePointer) -> Int32 {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        let code = mosquitto_property_add_int32(
            &properties,
            Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue),
            UInt32(PacketSizes.packetMax)
        )
        guard code == 0 else { return code }
        let said = mosquitto_connect_bind_v5(handle, nil, 0, 60, nil, properties)
        return said == MOSQ_ERR_INVAL.rawValue ? 0 : said
    }

    private func set(_ will: BrokerSettings.Will, _ handle: OpaquePointer) -> Int32 {
        let size = Int32(will.payload.count)
        guard broker.protocolVersion == 5 else {
            return mosquitto_will_set(handle, will.topic, size, will.payload, 1, true)
        }
        var properties: OpaquePointer?
        let delay = UInt32(clamping: will.delaySeconds)
        let code = mosquitto_property_add_int32(
            &properties,
            Int32(MQTT_PROP_WILL_DELAY_INTERVAL.rawValue),
            delay
        )
        guard code == 0 else { return code }
        // The will's delay counts only while the session lasts.
        let set = mosquitto_will_set_v5(
            handle,
            will.topic,
            size,
            will.payload,
            1,
            true,
            properties
        )
        if set != 0 { mosquitto_property_free_all(&properties) }
        return set
    }

    /// Makes the data that the broker's certificate is compared with; nil without encryption.
    ///
    /// libmosquitto is given an address, so the host's name is part of the trust.
    ///
    /// - Throws: `NetworkFailure` when the authorities or the key cannot be read.
    func makeTrust() throws(NetworkFailure) -> UnsafeMutableRawPointer? {
        guard broker.isEncrypted else { return nil }
        var key: [UInt8] = []
        var (folder, file): (String?, String?) = (nil, nil)
        switch broker.trust {
        case .system: folder = authorities
        case .authority(let path): file = path
        case .publicKey(let digest):
            guard let bytes = Base64.bytes(digest), bytes.count == 32 else {
                throw NetworkFailure(.local, "a public key's SHA-256 is 32 bytes in base64")
            }
            key = bytes
        }
        let made = place.host.withCString { host in
            withText(folder) { folder in
                withText(file) { file in
                    key.withUnsafeBufferPointer { key in
                        var demand = copenssl_demand(
                            host: host,
                            has_name: place.isNumeric ? 0 : 1,
                            folder: folder,
                            file: file,
                            key: key.isEmpty ? nil : key.baseAddress
                        )
                        return copenssl_make_trust(&demand)
                    }
                }
            }
        }
        guard let made else {
            throw NetworkFailure(.local, "the file of trusted authorities cannot be read")
        }
        return made
    }

    private func withText<Value>(
        _ text: String?,
        _ body: (UnsafePointer<CChar>?) -> Value
    ) -> Value {
        guard let text else { return body(nil) }
        return text.withCString { body($0) }
    }
}
