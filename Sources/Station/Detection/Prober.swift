import Core
import HardwareIO

/// Carries out a `ProbePlan` at a port.
///
/// Opens it exclusively, as every port is opened, and closes it on every way out.
struct Prober {
    enum Outcome: Sendable {
        case done(ProbePlan.Verdict)
        /// The port could not be opened, or went away.
        case failed(SerialError)
        /// The result does not matter any more.
        case cancelled
    }

    struct Result: Sendable {
        let outcome: Outcome
        let heardByteCount: Int
        let sentByteCount: Int
    }

    let platform: any Platform
    let node: String

    /// Runs the plan to its end, 15 s at most.
    func run(_ first: ProbePlan) async -> Result {
        var plan = first
        let outcome = await follow(&plan)
        return Result(
            outcome: outcome,
            heardByteCount: plan.heardByteCount,
            sentByteCount: plan.sentByteCount
        )
    }

    private func follow(_ plan: inout ProbePlan) async -> Outcome {
        var port: (any SerialPort)?
        defer { port?.close() }
        do {
            while !Task.isCancelled {
                switch plan.next(at: platform.clock.now) {
                case .open(let baud):
                    port?.close()
                    port = nil
                    port = try await platform.openSerialPort(node, SerialSettings(baud: baud))
                case .listen(let until):
                    guard let bytes = try await port?.read(atLeast: 1, until: until) else {
                        continue
                    }
                    plan.hear(bytes)
                case .send(let bytes): try port?.write(bytes)
                case .end(let verdict): return .done(verdict)
                }
            }
        } catch let error as SerialError {
            return .failed(error)
        } catch is CancellationError {
            return .cancelled
        } catch {
            return .failed(.system(call: "probe", errno: 0, path: node))
        }
        return .cancelled
    }
}
