import ControlProtocol
import Core
import Profiles

/// Tries the way to one target or receiver, and says how far it came.
struct EntryTrial {
    /// Seconds within which a server must answer.
    private static let timeoutSeconds = 30

    private typealias Step = EntryTrialReport.Step

    /// A message that a trial sends.
    private struct Message {
        let content: DryNetwork.Message
        /// Whether success proves that the server accepts the log-in.
        var isLogin = false
    }

    /// Why an entry sends nothing now.
    private struct Unsent: Error, CustomStringConvertible { let description: String }

    let entry: ConnectorEntry
    let materials: TargetDependencies
    let network: any CourierNetwork

    /// Carries the trial out.
    ///
    /// - Parameter sends: Whether a receiver is sent a message that is marked as a test.
    /// - Throws: `CancellationError`.
    func run(sends: Bool) async throws -> EntryTrialReport {
        let begun = materials.clock.now
        let message: Message
        do {
            guard let made = try await self.message() else {
                let sentence = "it sends nothing that could be tried"
                return report(nil, [Step(.settings, .done, sentence)], begun)
            }
            message = made
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // A secret or a key that is missing, a clock that is not set.
            return report(nil, [Step(.settings, .failed, "\(error)")], begun)
        }
        var steps: [Step]
        do {
            let answered = try await answer(message)
            steps = Self.steps(message.content.origin, failed: nil) + [answered]
        } catch let failure as NetworkFailure {
            steps = Self.steps(message.content.origin, failed: failure)
        }
        if sends, case .receiver(let receiver) = entry {
            let isReached = !steps.contains { $0.state == .failed }
            steps.append(isReached ? try await send(receiver) : Step(.message, .skipped))
        }
        return report(message.content.origin.shown, steps, begun)
    }

    private func report(
        _ server: String?,
        _ steps: [Step],
        _ begun: MonotonicInstant
    ) -> EntryTrialReport {
        let elapsed = begun.duration(to: materials.clock.now).inSeconds
        return EntryTrialReport(
            id: entry.id,
            server: server,
            steps: steps,
            milliseconds: Int(elapsed * 1_000)
        )
    }

    // MARK: Messages

    /// Returns a request that tests the log-in, or else the first that the entry would send.
    private func message() async throws -> Message? {
        func login(_ request: OutboundRequest) -> Message {
            Message(content: .request(request), isLogin: true)
        }
        let dry = DryNetwork()
        switch entry {
        case .feed: return nil
        case .receiver(let entry):
            let receiver = try entry.make(materials)
            if let probe = receiver.probe { return login(probe) }
            let notice = NoticeValues.test(at: nil, for: receiver)
            let outcome = try await receiver.deliver(notice, over: dry)
            if dry.message == nil { throw Unsent(description: outcome.text) }
        case .target(let entry):
            switch try entry.make(materials) {
            case .samples(let target):
                if let probe = target.probe { return login(probe) }
                let batch = ExampleBatch.make(nil, at: WallTime(nanoseconds: 0))
                let outcome = try await target.deliver(batch, over: dry)
                if dry.message == nil { throw Unsent(description: outcome.text) }
            case .broker(let target):
                // A broker ends the connection of another client of the same name.
                var broker = target.settings.broker
                (broker.clientID, broker.will) = ("\(broker.clientID)-try", nil)
                return Message(content: .broker(broker), isLogin: true)
            case .files(let work):
                if let probe = work.target.probe { return login(probe) }
                let example = try await OutboxFile(path: "example.csv") { _ in nil }
                _ = try await work.target.deliver(example, over: dry)
            case .drives(let work):
                let (drive, file) = ExampleDrive.make()
                _ = try await work.target.advance(DriveUpload(), of: drive, file, over: dry)
            case .heartbeat(let target):
                guard let request = target.request(.alive("")) else { return nil }
                // Each request to a heartbeat's URL counts as a heartbeat.
                var probe = OutboundRequest(.get, DryNetwork.Message.request(request).origin)
                probe.trust = request.trust
                return Message(content: .request(probe))
            }
        }
        return dry.message.map { Message(content: $0) }
    }

    // MARK: Steps

    /// Asks the server, without any data of the station.
    ///
    /// - Returns: Whether it accepts the log-in.
    /// - Throws: `NetworkFailure`; `CancellationError`.
    private func answer(_ message: Message) async throws -> Step {
        switch message.content {
        case .request(var request) where message.isLogin:
            request.timeoutSeconds = Self.timeoutSeconds
            return Self.judged(try await network.exchange(request))
        case .request(let first), .upload(let first, _):
            var request = OutboundRequest(.get, message.content.origin)
            (request.trust, request.needsHTTP2) = (first.trust, first.needsHTTP2)
            request.timeoutSeconds = Self.timeoutSeconds
            let answer = try await network.exchange(request)
            return Step(
                .login,
                .skipped,
                "the server answers, status \(answer.status); whether it knows us shows with the "
                    + "first data"
            )
        case .broker(let broker):
            await (try await network.connect(broker)).close()
            return Step(.login, .done)
        case .mail(var message):
            message.isProbe = true
            _ = try await network.send(message)
            return Step(.login, message.user == nil ? .skipped : .done)
        }
    }

    private static func judged(_ answer: OutboundAnswer) -> Step {
        if answer.isHTML {
            return Step(.login, .failed, "another server answers (captive portal?)")
        }
        guard answer.isSuccess else {
            let said = answer.excerpt.isEmpty ? "" : " \(answer.excerpt)"
            let status = "the server does not take our log-in: status \(answer.status)"
            return Step(.login, .failed, status + said)
        }
        return Step(.login, .done)
    }

    /// Sends a test message, as an alert would be sent.
    private func send(_ entry: ReceiverEntry) async throws -> Step {
        let receiver = try entry.make(materials)
        let notice = entry.test(receiver, at: materials.clock.wallReading?.wall)
        let outcome = try await receiver.deliver(notice, over: network)
        return outcome == .delivered
            ? Step(.message, .done) : Step(.message, .failed, outcome.text)
    }

    /// The steps to a server's answer, up to the one that failed.
    private static func steps(_ origin: MaskedText, failed: NetworkFailure?) -> [Step] {
        let text = origin.revealed
        let isEncrypted =
            text.hasPrefix("https:") || text.hasPrefix("mqtts:")
            || text.hasPrefix("smtps:")
        let names: [Step.Name] =
            [.settings, .name, .connection] + (isEncrypted ? [.certificate] : [])
        guard let failed else { return names.map { Step($0, .done) } }
        let place = failed.stage.step
        let way = Step.Name.allCases.filter { $0 == place || names.contains($0) || $0 == .login }
        let end = way.firstIndex(of: place) ?? 0
        return way.enumerated().map { index, name in
            guard index != end else { return Step(name, .failed, failed.words) }
            return Step(name, index < end ? .done : .skipped)
        }
    }
}

extension NetworkFailure.Stage {
    /// The step of a trial at which an exchange fails so.
    fileprivate var step: EntryTrialReport.Step.Name {
        switch self {
        case .local: .settings
        case .nameServerSilent, .unknownHost: .name
        case .refused, .unreachable, .connectTimedOut: .connection
        case .certificate, .certificateTime, .encryption: .certificate
        case .silent, .closed, .malformed, .notAuthorised, .redirected: .login
        }
    }
}
