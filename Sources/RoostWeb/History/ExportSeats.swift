import Synchronization

/// Bounds how many exports run at a time.
final class ExportSeats: Sendable {
    /// Given back when its export ends, however that happens.
    final class Seat: Sendable {
        private let seats: ExportSeats

        fileprivate init(_ seats: ExportSeats) { self.seats = seats }

        deinit { seats.taken.withLock { $0 -= 1 } }
    }

    private let limit: Int
    private let taken = Mutex(0)

    init(limit: Int) { self.limit = limit }

    /// A seat; nil while all are taken.
    func take() -> Seat? {
        let isFree = taken.withLock { taken in
            guard taken < limit else { return false }
            taken += 1
            return true
        }
        return isFree ? Seat(self) : nil
    }
}
