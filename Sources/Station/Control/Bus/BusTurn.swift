import Synchronization

/// One look at the buses at a time, or one change: one that hangs keeps others away until it ends.
final class BusTurn: Sendable {
    /// The turn, until it is ended or the value is gone.
    final class Pass: Sendable {
        private let turn: Mutex<BusTurn?>

        fileprivate init(_ turn: BusTurn) { self.turn = Mutex(turn) }

        deinit { end() }

        func end() {
            let turn = turn.withLock { turn in
                defer { turn = nil }
                return turn
            }
            turn?.isUsed.withLock { $0 = false }
        }
    }

    private let isUsed = Mutex(false)

    /// The turn; nil while another has it.
    func pass() -> Pass? {
        let isFree = isUsed.withLock { isUsed in
            defer { isUsed = true }
            return !isUsed
        }
        return isFree ? Pass(self) : nil
    }
}
