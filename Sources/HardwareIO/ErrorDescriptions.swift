// The texts of all hardware errors: what is wrong, where, and the next step.

extension SerialError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .absent(let path): "\(path): no such port; plug the sensor in, or correct `port`"
        case .notASerialLine(let path):
            "\(path): not a serial line; name a tty such as /dev/ttyUSB0"
        case .busy(let path, let holder):
            "\(path): in use by \(holder ?? "another program"); stop it, or give Roost another port"
        case .noPermission(let path, let owner, let group, let mode):
            "\(path): no permission (owner \(owner), group \(group), mode \(mode)); "
                + "run `sudo usermod -aG \(group) USER` and log in again"
        case .disconnected(let path): "\(path): disconnected"
        case .backlog(let path): "\(path): accepts nothing, 4 KiB wait to be sent"
        case .unsupportedBaud(let baud):
            "\(baud) baud is not one of 9600, 19200, 38400, 57600, 115200"
        case .system(let call, let errno, let path): "\(path): \(call) failed with errno \(errno)"
        }
    }
}

extension GPIOError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noChip(_, let present) where present.isEmpty:
            "this machine has no GPIO chip; /dev/gpiochip0 would be one"
        case .noChip(let label, let present):
            "no GPIO chip labelled \(label); there are \(present.joined(separator: ", "))"
        case .noLine(let line, let chip): "\(chip) has no line named \(line)"
        case .busy(let line, let chip, let holder, let hint):
            "\(line) of \(chip) is in use by \(holder ?? "another program")"
                + (hint.map { "; \($0)" } ?? "")
        case .noPermission(let path, let owner, let group, let mode):
            "\(path): no permission (owner \(owner), group \(group), mode \(mode)); "
                + "run `sudo usermod -aG \(group) USER` and log in again"
        case .disconnected(let chip): "GPIO chip \(chip) went away"
        case .system(let call, let errno, let chip):
            "GPIO chip \(chip): \(call) failed with errno \(errno)"
        }
    }
}

extension WatchdogError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .absent(let path): "\(path): this machine has no watchdog"
        case .busy(let path):
            "\(path): in use, often by systemd; unset RuntimeWatchdogSec or leave `watchdog` out"
        case .noPermission(let path): "\(path): no permission; only root opens it by default"
        case .system(let call, let errno, let path): "\(path): \(call) failed with errno \(errno)"
        }
    }
}

extension HotplugError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unavailable(let call, let errno):
            "no hotplug events here: \(call) failed with errno \(errno)"
        }
    }
}

extension LocalSocketError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .closed: "the connection is closed"
        case .tooSlow(let byteCount): "the reader is too slow: \(byteCount) bytes wait"
        case .lineTooLong(let byteCount): "a line of more than \(byteCount) bytes"
        case .pathTooLong(let path): "\(path): longer than a socket path may be (107 bytes)"
        case .system(let call, let errno, let path): "\(path): \(call) failed with errno \(errno)"
        }
    }
}

extension StorageError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .full(let path): "\(path): no space left on the card"
        case .readOnly(let path):
            "\(path): the card is read-only; look at `dmesg` for why, then remount or replace it"
        case .failed(let call, let errno, let path):
            "\(path): \(call) failed with errno \(errno)"
        case .wrongSize(let path, let found, let wanted):
            "\(path): has \(found) bytes, not \(wanted); "
                + "give its size in the configuration, or move it aside"
        case .absent(JournalPartition.link):
            "the journal's partition, which the station used before, cannot be found; "
                + "`lsblk` lists what is there, `roost doctor` says more; if it is gone for good, "
                + "remove the link \(JournalPartition.noteName) in the store's folder"
        case .absent(let path): "\(path): not there; make the folder, or correct the path"
        case .noPermission(let path) where path.hasPrefix("/dev/"):
            "\(path): no permission; a udev rule gives the partition to the group roost "
                + "(SUBSYSTEM==\"block\", KERNEL==\"\(path.dropFirst(5))\", GROUP=\"roost\", "
                + "MODE=\"0660\"), and where the service may not use it, "
                + "`sudo systemctl edit roostd` adds [Service] DeviceAllow=\(path) rw"
        case .noPermission(let path):
            "\(path): no permission; give the folder to the user that Roost runs as"
        case .busy(let path): "\(path): in use or mounted; unmount it, or name another"
        case .held(let path, let holder):
            "\(path): \(holder ?? "another process") has it; stop that process, or name another"
        }
    }
}
