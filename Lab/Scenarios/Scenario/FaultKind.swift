import Core

/// Everything that can be made to go wrong in a simulated life; each kind is counted.
package enum FaultKind: String, Hashable, Sendable, CaseIterable {
    // Faults of a part on a serial line.
    case silence, deaf, garbage, stuck, zeros, wedge, ceiling, babble, inconsistent, brownout
    case splitFrames = "split-frames"
    case mergedFrames = "merged-frames"
    case lateReply = "late-reply"
    case noAcknowledgement = "no-ack"
    case doubleWake = "double-wake"
    case timesTen = "times-ten"
    case flippedBits = "flipped-bits"
    case wrongID = "wrong-id"
    case wrongRate = "wrong-rate"
    case noFirmware = "no-firmware"
    case wedgeOnReboot = "wedge-on-reboot"
    // Faults of the line itself.
    case lineTakesNothing = "line-takes-nothing"
    case portBusy = "port-busy"
    case portForbidden = "port-forbidden"
    case portError = "port-error"
    // Adapters that come and go.
    case unplug, move, swap, renumber, stranger, twin
    case unplugMidFrame = "unplug-mid-frame"
    case hubReset = "hub-reset"
    case untoldPlug = "untold-plug"
    case plugStorm = "plug-storm"
    case exchange
    // Lines of the header.
    case edgeStorm = "edge-storm"
    case bounce
    case motionStuckHigh = "motion-stuck-high"
    case motionStuckLow = "motion-stuck-low"
    case chipGone = "chip-gone"
    case lineForbidden = "line-forbidden"
    case edgeOverrun = "edge-overrun"
    // The local network: HTTP devices, their addresses and the name server.
    case httpSilent = "http-silent"
    case httpSlow = "http-slow"
    case httpRefuses = "http-refuses"
    case httpGarbage = "http-garbage"
    case httpMoved = "http-moved"
    case nameServerSilent = "name-server-silent"
    // The card.
    case cardStall = "card-stall"
    case cardLongStall = "card-long-stall"
    case cardSlow = "card-slow"
    case cardFull = "card-full"
    case cardReadOnly = "card-read-only"
    case cardError = "card-error"
    case failingWrites = "failing-writes"
    case lyingSync = "lying-sync"
    case journalRot = "journal-rot"
    case historyRot = "history-rot"
    case logRot = "log-rot"
    case lostPage = "lost-page"
    case badSlots = "bad-slots"
    case longReader = "long-reader"
    case diskHang = "disk-hang"
    // Time.
    case clockUnknown = "clock-unknown"
    case clockForward = "clock-forward"
    case clockBack = "clock-back"
    case clock1970 = "clock-1970"
    case clockSlew = "clock-slew"
    case clockLost = "clock-lost"
    case suspend
    // The process.
    case kill
    case freeze
    case longFreeze = "long-freeze"
    case restart
    case childHang = "child-hang"
    case childUnkillable = "child-unkillable"
    case childThrow = "child-throw"
    // Power.
    case reboot
    case powerCut = "power-cut"
    case powerCutAtWrite = "power-cut-at-write"
    case doublePowerCut = "double-power-cut"
    case boardHang = "board-hang"
    // Memory.
    case outOfMemory = "out-of-memory"
    case mirrorRefused = "mirror-refused"
    case slowReaders = "slow-readers"
    // People who own it.
    case rename
    case importFiles = "import"
    case addDevice = "add-device"
    case recordOff = "record-off"
    // The way to the server that the courier delivers to, the server, and the courier itself.
    case internetDown = "internet-down"
    case serverSilent = "server-silent"
    case serverRefuses = "server-refuses"
    case serverFails = "server-fails"
    case serverSlow = "server-slow"
    case serverRejects = "server-rejects"
    case answersLost = "answers-lost"
    case captivePortal = "captive-portal"
    case courierKill = "courier-kill"
    // The camera and its program.
    case cameraAbsent = "camera-absent"
    case cameraFails = "camera-fails"
    case cameraSlow = "camera-slow"
    case eyesKill = "eyes-kill"
    // A time server that is wrong by a year for a day, over restarts, too. They come last, so that
    // the others happen to a seed as they did.
    case clockYearAhead = "clock-year-ahead"
    case clockYearBack = "clock-year-back"
    // No power comes in, and the battery runs down.
    case batteryLow = "battery-low"
    // A wire of a bus on the header is held, and no reading of its part comes back.
    case busHang = "bus-hang"

    package static let all = allCases

    /// The part of the world that a fault happens to.
    package enum Area: String, Hashable, Sendable, CaseIterable {
        case serial, usb, gpio, network, card, clock, process, power, memory, owner
        case courier, camera
    }

    package var area: Area {
        switch self {
        case .silence, .deaf, .garbage, .stuck, .zeros, .wedge, .ceiling, .babble, .inconsistent,
            .brownout, .splitFrames, .mergedFrames, .lateReply, .noAcknowledgement, .doubleWake,
            .timesTen, .flippedBits, .wrongID, .wrongRate, .noFirmware, .wedgeOnReboot,
            .lineTakesNothing, .portBusy, .portForbidden, .portError, .busHang:
            .serial
        case .unplug, .move, .swap, .renumber, .stranger, .twin, .unplugMidFrame, .hubReset,
            .untoldPlug, .plugStorm, .exchange:
            .usb
        case .edgeStorm, .bounce, .motionStuckHigh, .motionStuckLow, .chipGone, .lineForbidden,
            .edgeOverrun:
            .gpio
        case .httpSilent, .httpSlow, .httpRefuses, .httpGarbage, .httpMoved,
            .nameServerSilent:
            .network
        case .cardStall, .cardLongStall, .cardSlow, .cardFull, .cardReadOnly, .cardError,
            .failingWrites, .lyingSync, .journalRot, .historyRot, .logRot, .lostPage, .badSlots,
            .longReader, .diskHang:
            .card
        case .clockUnknown, .clockForward, .clockBack, .clock1970, .clockSlew, .clockLost,
            .clockYearAhead, .clockYearBack, .suspend:
            .clock
        case .kill, .freeze, .longFreeze, .restart, .childHang, .childUnkillable, .childThrow:
            .process
        case .reboot, .powerCut, .powerCutAtWrite, .doublePowerCut, .boardHang, .batteryLow:
            .power
        case .outOfMemory, .mirrorRefused, .slowReaders: .memory
        case .rename, .importFiles, .addDevice, .recordOff: .owner
        case .internetDown, .serverSilent, .serverRefuses, .serverFails, .serverSlow,
            .serverRejects, .answersLost, .captivePortal, .courierKill:
            .courier
        case .cameraAbsent, .cameraFails, .cameraSlow, .eyesKill: .camera
        }
    }

    /// How long it lasts unless the scenario says: the shortest and the longest.
    var usualDuration: ClosedRange<Duration> {
        switch self {
        case .cardStall: .seconds(2)...(.seconds(8))
        case .cardLongStall: .seconds(30)...(.seconds(90))
        case .freeze: .seconds(1)...(.seconds(4))
        case .longFreeze: .seconds(40)...(.seconds(90))
        case .diskHang: .minutes(5)...(.hours(2))
        case .suspend, .batteryLow: .hours(1)...(.hours(9))
        case .powerCut, .powerCutAtWrite, .doublePowerCut: .seconds(5)...(.hours(8))
        case .lineTakesNothing, .childHang, .childUnkillable, .edgeStorm, .bounce,
            .edgeOverrun, .lyingSync:
            .seconds(10)...(.minutes(5))
        case .unplug, .unplugMidFrame, .move, .swap, .renumber, .hubReset, .untoldPlug, .plugStorm,
            .exchange, .brownout:
            .seconds(2)...(.minutes(30))
        case .clockForward, .clockBack, .clock1970, .clockLost, .clockSlew, .clockUnknown:
            .minutes(10)...(.hours(30))
        case .clockYearAhead, .clockYearBack: .hours(23)...(.hours(25))
        case .cardFull, .cardReadOnly, .cardError: .minutes(1)...(.hours(12))
        case .badSlots: .hours(1)...(.days(3))
        case .rename, .importFiles: .seconds(30)...(.minutes(2))
        case .addDevice, .recordOff: .minutes(30)...(.hours(12))
        case .internetDown, .serverSilent, .serverRefuses, .serverFails, .captivePortal:
            .minutes(1)...(.hours(26))
        default: .minutes(1)...(.hours(2))
        }
    }

    /// Whether one part on a serial line is hit.
    var hitsPart: Bool {
        switch self {
        case .stranger, .renumber, .hubReset: false
        case .childHang, .childUnkillable, .childThrow, .rename, .recordOff: true
        default: area == .serial || area == .usb
        }
    }

    /// Whether it hits one HTTP device.
    var hitsHTTPDevice: Bool { area == .network && self != .nameServerSilent }

    /// Whether it waits for the one moment at which it can show itself, and begins there.
    ///
    /// A card stalls while it is written, a mirror is refused at a start, a child hangs in a read,
    /// and a log that rots is met when it is opened anew.
    /// A fault without such a moment before the quiet time does not happen.
    var waitsForItsMoment: Bool {
        switch self {
        case .cardStall, .cardLongStall, .childHang, .childUnkillable, .childThrow,
            .mirrorRefused, .wedgeOnReboot, .logRot:
            true
        default: false
        }
    }

    /// Whether it happens to a part on a bus of the board alone.
    var needsBus: Bool { self == .busHang }

    /// Whether only an SDS011 can do that.
    var needsSDS011: Bool {
        switch self {
        case .stuck, .zeros, .wedge, .ceiling, .inconsistent, .mergedFrames, .lateReply,
            .noAcknowledgement, .doubleWake, .timesTen, .wrongID, .wrongRate, .noFirmware,
            .wedgeOnReboot:
            true
        default: false
        }
    }
}

/// One fault of a life: what, when, for how long, and to whom.
package struct PlannedFault: Hashable, Sendable {
    package let kind: FaultKind
    /// Time since the beginning of the life.
    package let at: Duration
    package let length: Duration
    /// The part it happens to, by its name in the scenario; nil where that makes no sense.
    package let part: String?

    package init(_ kind: FaultKind, at: Duration, for length: Duration, to part: String? = nil) {
        (self.kind, self.at, self.length, self.part) = (kind, at, length, part)
    }
}
