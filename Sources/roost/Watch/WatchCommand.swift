import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import Glibc
import LinuxIO
import Synchronization

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "A running station on one screen: lamp, values, faults, devices, costs.",
        discussion: """
            Good from 60 columns and 20 rows; `q` or Ctrl-C ends it. Where standard output is no \
            terminal, or TERM is dumb, it prints what happens line by line, as `roost live` does. \
            NO_COLOR=1 leaves the colours out.

            Examples: roost watch
                      roost watch --for 1m
                      roost watch --zone Europe/Berlin
                      roost watch --json
            Exit codes: 0 done, 69 no station answers.
            """
    )
    @Option(name: .customLong("for"), help: "Stop after this long: 30s, 5m.")
    var length: DurationArgument?

    @OptionGroup var zone: ZoneOptions
    @OptionGroup var client: ClientOptions

    func run() throws {
        guard TerminalScreen.isUsable, !client.json else {
            var live = LiveCommand()
            (live.length, live.client) = (length, client)
            return try live.run()
        }
        SignalMonitor.block(TerminalScreen.signals)
        // Waits for the first answer: an empty screen is of no use.
        _ = try client.withStation {
            try await $0.ask(GetStatus())
        }
        let loop = try EventLoop()
        let signals = try SignalMonitor(TerminalScreen.signals, on: loop)
        let show = WatchShow(
            socket: client.socketPath,
            on: loop,
            timeout: client.timeout.duration
        )
        Output.lastWill.withLock { $0 = { show.screen.leave() } }
        let length = length?.duration
        try loop.run {
            let end = length.map { loop.clock.now.advanced(by: $0) }
            try await loop.clock.run(until: end) { try await show.runUntilSignal(signals) }
        }
    }
}

extension WatchShow {
    /// Shows the station until it is ended from the keyboard or by a signal.
    func runUntilSignal(_ signals: SignalMonitor) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.run() }
            group.addTask {
                while !Task.isCancelled {
                    switch try await signals.next() {
                    case SIGWINCH: self.refresh()
                    case SIGTSTP:
                        self.screen.pause()
                        self.refresh()
                    default: return
                    }
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}

extension SignalMonitor {
    /// Waits for a signal that ends a program; a new window size does not.
    func nextEnd() async throws {
        while [SIGWINCH, SIGTSTP].contains(try await next()) {}
    }
}
