import ControlProtocol
import HardwareIO
import Profiles

/// Entries of a backup in place of those that the owner added here.
///
/// A backup without secrets keeps those of entries that are the same here.
struct RestoredEntries {
    let next: CourierOverlay
    let report: RestoreReport
    /// Ids of the entries that differ, sorted.
    let changed: [String]

    /// - Throws: `ControlFailure` for a content that cannot be read.
    init(
        _ content: String,
        over overlay: CourierOverlay,
        _ file: CourierConfiguration,
        _ presets: PresetCatalog
    ) throws(ControlFailure) {
        var next: CourierOverlay
        do { next = try CourierOverlay(Array(content.utf8)) } catch {
            throw .badRequest("the part of roost-courier cannot be read: \(error)")
        }
        for (id, entry) in next.entries where next.secrets[id, default: [:]].isEmpty {
            guard overlay.entries[id] == entry, let kept = overlay.secrets[id] else { continue }
            next.set(id, entry, kept)
        }
        var (configuration, items, changed) = (file, [RestoreReport.Item](), [String]())
        for id in Set(overlay.entries.keys).union(next.entries.keys).sorted() {
            let (before, after) = (overlay.entries[id], next.entries[id])
            let isSame =
                before == after && Self.texts(of: id, in: overlay) == Self.texts(of: id, in: next)
            if !isSame { changed.append(id) }
            guard
                var item = RestoreReport.Item(
                    (after ?? before)?.section == .receivers ? .receiver : .target,
                    id,
                    before.map { _ in 0 },
                    after.map { _ in isSame ? 0 : 1 }
                )
            else { continue }
            if after != nil {
                do throws(ControlFailure) {
                    try configuration.add(id, next, presets)
                } catch { item.next = "\(id) is not in use until it is mended: \(error.message)" }
            }
            items.append(item)
        }
        (self.next, self.changed, report) = (next, changed, RestoreReport(items))
    }

    private static func texts(of id: String, in overlay: CourierOverlay) -> [String: String] {
        overlay.secrets[id, default: [:]].mapValues { $0.reveal() }
    }

    /// The part of a backup.
    static func part(of overlay: CourierOverlay, secrets: Bool) -> BackupPartReport {
        let ids = secrets ? [] : overlay.secrets.filter { !$0.value.isEmpty }.map(\.key)
        let kept = ids.reduce(overlay) { $0.withoutSecrets(of: $1) }
        return BackupPartReport(
            content: String(decoding: kept.bytes, as: UTF8.self),
            leftOutCount: ids.count
        )
    }
}
