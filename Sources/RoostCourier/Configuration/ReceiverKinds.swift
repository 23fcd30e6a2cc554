import Core
import Profiles

/// The types of receivers, with parsers of their configuration.
enum ReceiverKinds {
    /// Reads the options of one type of receiver.
    ///
    /// - Returns: Makes the receiver; nil with problems noted.
    static func read(
        _ type: String,
        _ reader: inout EntryReader,
        _ common: inout ReceiverOptions,
        _ presets: PresetCatalog
    ) -> TargetDependencies.MakeReceiver? {
        let takesPictures =
            type == MailKind.name || (try? ShippedPresets.preset(type))??.picture != nil
        if common.hasPictures, !takesPictures {
            reader.object.problem("pictures", "\"\(type)\" takes none; smtp, ntfy and telegram do")
        }
        switch type {
        case MailKind.name: return MailKind.read(&reader, &common)
        case PushKinds.webPush: return PushKinds.readWebPush(&reader, &common)
        case PushKinds.apns: return PushKinds.readAPNs(&reader, &common)
        default: break
        }
        do {
            if let preset = try presets.preset(type) {
                common.isGrouped = preset.isGrouped
                if let wait = preset.wait, reader.object.value("waitSeconds") == nil {
                    common.wait = wait
                }
                return self.preset(preset, &reader, common)
            }
        } catch {
            reader.object.problem("type", "\(error)")
            return nil
        }
        let all = names(presets)
        if TargetKind(rawValue: type) != nil {
            let words = "\"\(type)\" is a target of what is measured: move it to `targets`"
            reader.object.problem("type", words)
            return nil
        }
        reader.object.problem(
            "type",
            "unknown type \"\(type)\", known are \(all.joined(separator: ", "))",
            meant: Spelling.nearest(to: type, among: all)
        )
        return nil
    }

    /// All types of receivers.
    static func names(_ presets: PresetCatalog) -> [String] {
        presets.ids + [MailKind.name, PushKinds.webPush, PushKinds.apns]
    }

    private static func preset(
        _ preset: Preset,
        _ reader: inout EntryReader,
        _ common: ReceiverOptions
    ) -> TargetDependencies.MakeReceiver? {
        var plain: [String: String] = [:]
        var secret: [String: SecretName] = [:]
        var isWhole = true
        for setting in preset.settings {
            let isRequired = !setting.isOptional && setting.fallback == nil
            let isNamed =
                if case .object? = reader.object.value(setting.name) { true } else { false }
            if setting.isSecret || isNamed {
                let name = reader.secret(setting.name, isRequired: isRequired)
                if let name { secret[setting.name] = name }
                isWhole = isWhole && (name != nil || !isRequired)
            } else if setting.name == "url", reader.object.value("url") != nil {
                plain["url"] = reader.url("url", isWhole: preset.id != "ntfy")
                // ntfy runs at the root of its host: a path would be the topic given twice.
                if preset.id == "ntfy", let url = plain["url"], URLText.hasPath(url) {
                    let words = "is the server's address alone: the topic stands in `topic`"
                    reader.object.problem("url", words)
                }
                isWhole = isWhole && plain["url"] != nil
            } else if let text = reader.object.string(setting.name) {
                plain[setting.name] = text
            } else if isRequired {
                reader.object.problem(setting.name, "is missing: \(setting.about)")
                isWhole = false
            }
        }
        let key = reader.secret("signature", isRequired: false)
        guard isWhole else { return nil }
        let (texts, names) = (plain, secret)
        return { materials in
            var settings = texts.mapValues { TemplateValue.text($0) }
            for (setting, name) in names {
                settings[setting] = .secret(try materials.secrets.secret(name))
            }
            var receiver = PresetReceiver(
                preset,
                settings: settings,
                station: materials.station,
                zone: materials.zone,
                trust: common.trust
            )
            receiver.signer = try key.map { name in
                WebhookSigner(try materials.secrets.secret(name), clock: materials.clock)
            }
            return receiver
        }
    }
}
