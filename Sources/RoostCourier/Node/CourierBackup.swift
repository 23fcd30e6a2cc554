import ControlProtocol
import Core
import Logging

/// The courier's part of a backup: entries, and with secrets the phones and browsers.
struct CourierBackup: Sendable {
    let node: CourierNode

    /// - Throws: `CancellationError`. Subscribers that cannot be read are left out, and said.
    func part(secrets: Bool) async throws -> BackupPartReport {
        let part = await node.settings.backup(secrets: secrets)
        guard let subscriptions = node.pushSubscriptions else { return part }
        var content: String?
        do {
            let subscribers = try await subscriptions.backup()
            if secrets || subscribers.subscribers.isEmpty {
                content = subscribers.added(to: part.content)
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            let metadata: Logger.Metadata = ["why": "\(error)"]
            node.world.logger.error("subscribers not backed up", metadata: metadata)
        }
        let count = part.leftOutCount
        var report = BackupPartReport(content: content ?? part.content, leftOutCount: count)
        report.lacksSubscribers = content == nil ? true : nil
        return report
    }

    /// Puts entries and subscribers of a backup in use, or says what that would change.
    ///
    /// - Throws: As `CourierSettings.restore` and `SubscriberStore.restore`.
    func restore(
        _ question: RestorePart,
        by asker: QuestionAsker
    ) async throws -> RestoreReport {
        let subscribers = try SubscriberBackup(question.content)
        if let subscribers { _ = try await restore(subscribers, isTrial: true) }
        let (report, changes) = try await node.settings.restore(
            question.content,
            isTrial: question.isTrial,
            by: asker
        )
        for change in changes {
            try await node.apply(change, for: asker)
            if change.now == "default" { try await node.forget(change.id) }
        }
        guard let subscribers else { return report }
        let more = try await restore(subscribers, isTrial: question.isTrial)
        return RestoreReport(report.items + more.items)
    }

    private func restore(
        _ subscribers: SubscriberBackup,
        isTrial: Bool
    ) async throws -> RestoreReport {
        guard let subscriptions = node.pushSubscriptions else {
            let message = "this courier has no folder for subscribers"
            throw ControlFailure(code: .notOffered, message: message)
        }
        return try await subscriptions.restore(subscribers, isTrial: isTrial)
    }
}
