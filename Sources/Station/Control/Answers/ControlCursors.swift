import ControlProtocol
import Core
import HardwareIO
import Store

/// Carries out `cursor`.
struct ControlCursors: Sendable {
    let store: StoreClient

    /// Stores the question's cursor, if it has one, and returns all cursors.
    ///
    /// - Throws: `ControlFailure` `bad-request`; `busy` for a 17th name; `not-offered`.
    func answer(_ question: KeepCursor) throws(ControlFailure) -> CursorReport {
        guard let name = question.name, let bytes = question.bytes else {
            return try report(store.cursors)
        }
        let book: CursorTable?
        do throws(CursorTable.Refusal) {
            book = try store.keep(name, bytes, isUrgent: question.isUrgent ?? false)
        } catch { throw Self.failure(error) }
        return try report(book)
    }

    private func report(_ book: CursorTable?) throws(ControlFailure) -> CursorReport {
        guard let book else {
            throw ControlFailure(code: .notOffered, message: "no store is open that keeps cursors")
        }
        var report = CursorReport(
            cursors: book.all.map {
                CursorReport.Cursor(name: $0.cursor.name, blob: $0.cursor.blob, number: $0.number)
            },
            number: book.number,
            durable: book.durable
        )
        report.openSinceSeconds = book.openSince.map { Double($0.nanoseconds) / 1e9 }
        return report
    }

    private static func failure(_ refusal: CursorTable.Refusal) -> ControlFailure {
        switch refusal {
        case .invalid: KeepCursor.invalid
        case .tooMany(let names):
            ControlFailure(
                code: .busy,
                message: "\(names.count) cursors are kept; set one of them to nothing first: "
                    + names.map { PlainText.shown($0, limit: 64) }.joined(separator: ", ")
            )
        }
    }
}
