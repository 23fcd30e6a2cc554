/// A bug that a test plants between the node and the world, for the proof that the checker sees it.
package enum PlantedBug: String, Sendable, CaseIterable {
    /// P1: the history expects samples that no schedule promised.
    case impatientSchedule
    /// P2: syncs of a card without a known fault do nothing.
    case forgottenSyncs
    /// P2: samples that find no place are dropped without an event or a fault.
    case unspokenLoss
    /// P2: cursors of followers are forgotten.
    case forgottenCursors
    /// P3: the journal cannot be opened after the first process.
    case refusesToStart
    /// P4: the journal is longer in each process.
    case growingFile
    /// P5: a sensor's failures are not reported, and the last value is repeated.
    case silentAboutSilence
    /// P6: two sensors speak with each other's voice.
    case mixedUpSensors
    /// P7: the command to sleep never reaches the sensor.
    case forgottenSleep
    /// P8: the wall clock is wrong without a mark.
    case wrongDates
    /// P9: the process ends itself for nothing.
    case endsForNothing
    /// P10: the lamp goes on saying good.
    case alwaysGreen
    /// P10: every value is reported as a second old.
    case youngForEver
    /// P11: what a server never kept counts as delivered.
    case lostDelivery
    /// P11: samples that a follower of the store is never given.
    case skippedTail
    /// P11: what is delivered has the date of its arrival.
    case freshDates
    /// Alerts: what was raised is raised again.
    case repeatedAlerts
    /// Alerts: what an earlier process raised is said to hold, before there is a new value.
    case neverUnknown
    /// Camera: motions never come to its program.
    case deafEyes
    /// Camera: what the ring took is not there.
    case lostPictures
    /// Cold: the machine does not say when an adapter was plugged in.
    case alwaysWarm
    /// Liveness: a device hangs and is not replaced.
    case deafAfterFault

    /// The promise that the bug breaks.
    package var promise: String {
        switch self {
        case .impatientSchedule: "P1"
        case .forgottenSyncs, .unspokenLoss, .forgottenCursors: "P2"
        case .refusesToStart: "P3"
        case .growingFile: "P4"
        case .silentAboutSilence: "P5"
        case .mixedUpSensors: "P6"
        case .forgottenSleep: "P7"
        case .wrongDates: "P8"
        case .endsForNothing: "P9"
        case .alwaysGreen, .youngForEver: "P10"
        case .lostDelivery, .skippedTail, .freshDates: "P11"
        case .repeatedAlerts, .neverUnknown: "alerts"
        case .deafEyes, .lostPictures: "camera"
        case .alwaysWarm: "cold"
        case .deafAfterFault: "liveness"
        }
    }
}
