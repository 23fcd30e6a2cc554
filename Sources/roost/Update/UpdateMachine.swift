import ArgumentParser
import ClientSupport
import ControlProtocol
import Core
import FileIO
import Glibc
import Provisioning
import ProvisioningIO
import Store
import StoreQueries

/// Checks, reports and output that the update's commands share.
enum UpdateMachine {
    /// - Throws: `ClientFailure` where the station does not run from an image.
    static func require() throws -> (machine: ImageMachine, running: RootSlot) {
        guard let machine = ImageMachine() else {
            throw ClientFailure(
                message: "this station does not run from Roost's image: its packages are updated "
                    + "by `sudo apt update && sudo apt upgrade`",
                exitCode: unavailableExitCode
            )
        }
        guard let running = machine.running else {
            throw ClientFailure(
                message: "no root runs here: /run/roost-slot is missing, which the start of a card "
                    + "makes",
                exitCode: unavailableExitCode
            )
        }
        return (machine, running)
    }

    /// Version and place of a station, and of its image where there is one.
    static func report(_ machine: ImageMachine?) -> UpdateReport {
        var report = UpdateReport(
            version: machine?.version ?? RoostVersion.text,
            storeSchema: StoreSchema.stepCount
        )
        guard let machine else { return report }
        (report.board, report.layout, report.build) = (
            machine.board, machine.layout, machine.build
        )
        report.keys = machine.keys().keys.map(\.id)
        guard let running = machine.running else { return report }
        let slots = machine.slots
        (report.slot, report.goodSlot, report.dataOn) = (
            running.rawValue, slots.good.rawValue, machine.dataOn
        )
        report.trial = slots.trial.map { trial in
            UpdateReport.Trial(
                slot: trial.rawValue,
                number: slots.number,
                isStarted: !slots.isTrialWaiting
            )
        }
        report.last = machine.record
        return report
    }

    static func print<Report: Encodable>(_ report: Report, json: Bool, _ words: [String]) throws {
        guard !json else { return Output.line(try ControlCodec.line(report)) }
        for line in words { Output.line(line) }
    }

    static func failure(_ error: UpdateError) -> ClientFailure {
        ClientFailure(message: "\(error)", exitCode: 1)
    }
}

/// Where the store is whose schema an older version must know.
struct UpdateStoreOptions: ParsableArguments {
    @Option(help: "The store's folder.")
    var store = StoreFolder.standard

    /// Steps of the store's schema; those that this version would make where it cannot be read.
    var schema: Int? {
        let path = StoreFolder(path: store).historyPath
        guard Files.size(path) != nil else { return nil }
        return StoreSchema.stepCount(of: path) ?? StoreSchema.stepCount
    }
}

/// Restarts the machine in order, so that the station saves what waits.
enum UpdateRestart {
    static func now() throws -> Never {
        let words: [String] = ["systemctl", "--no-block", "reboot"]
        var vector = words.map { strdup($0) }
        vector.append(nil)
        execv("/usr/bin/systemctl", vector)
        throw ClientFailure(
            message: "systemctl: \(String(cString: strerror(errno))); restart by hand",
            exitCode: 1
        )
    }
}
