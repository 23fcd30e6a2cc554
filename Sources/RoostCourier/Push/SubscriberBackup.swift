import ControlProtocol
import Core
import Profiles

/// The phones and browsers of a backup, with the key that their push services know.
///
/// A member of the courier's part, only in a backup with secrets:
///
///     {"push": {"key": "…", "subscribers": ["{\"kind\":\"webpush\",…}", "a1b2…"]}}
struct SubscriberBackup: Hashable, Sendable {
    /// The member of the courier's part.
    static let member = "push"
    /// A file of the courier's folder with this member, of a backup on a card; empty once taken.
    static let cardFile = "restore-subscribers.json"
    static let byteLimit = 1 << 20

    /// The station's key for push services; nil where no browser is among the subscribers.
    let key: CurveKey?
    let subscribers: [Subscriber]

    init(key: CurveKey?, _ subscribers: [Subscriber]) {
        (self.key, self.subscribers) = (key, subscribers)
    }

    /// Reads a courier's part, or the file of a card; nil where it has no subscribers.
    ///
    /// - Throws: `ControlFailure` for one that cannot be used as a whole.
    init?(_ content: String) throws(ControlFailure) {
        func wrong(_ reason: String) -> ControlFailure {
            .badRequest("the part of roost-courier cannot be read: \(reason)")
        }
        let root: JSONValue
        do { root = try JSONParser.parse(Array(content.utf8)) } catch {
            throw wrong("it is not JSON")
        }
        guard case .object(let members) = root, let part = members[Self.member] else { return nil }
        guard case .object(let fields) = part, case .array(let values)? = fields["subscribers"],
            values.count <= SubscriberFile.limit
        else { throw wrong("its subscribers are no list") }
        do {
            var subscribers: [Subscriber] = []
            for value in values {
                guard case .string(let text) = value else { throw wrong("a subscriber is no text") }
                subscribers.append(try Subscriber(plain: text))
            }
            self.subscribers = subscribers
            guard case .string(let text)? = fields["key"] else {
                guard !subscribers.contains(where: { $0.kind == .webpush }) else {
                    throw wrong("the key of its browsers is missing")
                }
                key = nil
                return
            }
            key = try CurveKey(secret: Base64.bytes(text) ?? [])
        } catch let failure as ControlFailure {
            throw failure
        } catch { throw wrong("\(error)") }
    }

    /// The courier's part with this member; as it is without subscribers.
    ///
    /// - Returns: nil where it would be too large for a restore by the page.
    func added(to content: String) -> String? {
        guard !subscribers.isEmpty else { return content }
        guard case .object(var root)? = try? JSONParser.parse(Array(content.utf8)) else {
            return nil
        }
        var fields = ["subscribers": JSONValue.array(subscribers.map { .string($0.plain) })]
        if let key { fields["key"] = .string(Base64.url(key.secret)) }
        root[Self.member] = .object(fields)
        let text = JSONValue.object(root).text + "\n"
        // A restore asks with it on one line of 64 KiB, where its quotes are escaped once more.
        let isFitting = JSONValue.string(text).text.utf8.count <= RestorePart.contentMax / 2 * 3
        return isFitting && text.utf8.count <= RestorePart.contentMax ? text : nil
    }
}

extension SubscriberBackup {
    /// The list after a restore: those of the backup, and those here that can still be reached.
    ///
    /// Push services know a browser by the station's key. Browsers that subscribed here with
    /// another key than the backup's are left out: they subscribe again when they come.
    ///
    /// - Parameter other: The key in use here; nil for none.
    func merged(
        with present: [Subscriber],
        _ other: CurveKey?
    ) throws(ControlFailure) -> (next: [Subscriber], report: RestoreReport) {
        let isOther = key != nil && other != nil && key != other
        let restored = Set(subscribers.map(\.address))
        let kept = present.filter { one in
            !restored.contains(one.address) && !(isOther && one.kind == .webpush)
        }
        let next = kept + subscribers
        guard next.count <= SubscriberFile.limit else {
            let message = "\(next.count) phones and browsers; \(SubscriberFile.limit) are the limit"
            throw ControlFailure(code: .tooLarge, message: message)
        }
        let (old, new) = (Self.byAddress(present), Self.byAddress(next))
        let items = Set(old.keys).union(new.keys).compactMap { address in
            let (before, after) = (old[address], new[address])
            let label = (after ?? before)?.label ?? ""
            var item = RestoreReport.Item(.subscriber, label, before, after)
            if after == nil {
                item?.next =
                    "subscribed with this station's own key, which the backup's replaces: the "
                    + "browser subscribes again when it opens the page"
            }
            return item
        }
        return (next, RestoreReport(items.sorted { $0.name < $1.name }))
    }

    private static func byAddress(_ subscribers: [Subscriber]) -> [String: Subscriber] {
        Dictionary(subscribers.map { ($0.address, $0) }) { first, _ in first }
    }
}
