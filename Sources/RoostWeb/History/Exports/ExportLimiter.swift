import ControlProtocol
import HTTPTypes
import Synchronization

/// Bounds how many exports run at a time, of a person and in all.
final class ExportLimiter: Sendable {
    /// One permission to run an export, released when the export ends in any way.
    final class Seat: Sendable {
        private let seats: ExportLimiter
        private let user: Int64?
        private let isReleased = Mutex(false)

        fileprivate init(_ seats: ExportLimiter, _ user: Int64?) {
            (self.seats, self.user) = (seats, user)
        }

        deinit { release() }

        /// Gives it back before it is let go.
        func release() {
            let isFirst = isReleased.withLock { isReleased in
                defer { isReleased = true }
                return !isReleased
            }
            guard isFirst else { return }
            seats.taken.withLock { taken in
                if let place = taken.firstIndex(of: user) { taken.remove(at: place) }
            }
        }
    }

    /// A seat on its way to another thread, where the work may outlive its answer by a moment.
    final class Transfer: Sendable {
        private let seat: Mutex<Seat?>

        init(_ seat: consuming Seat) { self.seat = Mutex(seat) }

        /// Returns the seat to the first caller; nil to all others.
        func receive() -> Seat? {
            seat.withLock { seat in
                defer { seat = nil }
                return seat
            }
        }
    }

    private let limit: Int
    /// Accounts of the taken seats; nil for a visitor without an account.
    private let taken = Mutex<[Int64?]>([])

    init(limit: Int) { self.limit = limit }

    /// Takes a seat.
    ///
    /// - Parameter user: Who asks; without an account only the number in all counts.
    /// - Returns: The seat, given back when it is let go.
    /// - Throws: `Problem` `busy` while the person has one, or all are taken.
    func reserve(_ user: Int64?) throws -> Seat {
        let limit = limit
        let refusal = taken.withLock { taken -> String? in
            if let user, taken.contains(user) {
                return "you have an export running; wait for it to end"
            }
            guard taken.count < limit else {
                return "\(limit) exports are running; wait for one to end"
            }
            taken.append(user)
            return nil
        }
        guard let refusal else { return Seat(self, user) }
        throw Problem(.busy, refusal, headers: [.retryAfter: "30"])
    }
}
