import Core

/// A made-up drive for trying a target.
package enum ExampleDrive {
    /// Makes a log of one line, with made-up values.
    package static func make() -> (drive: PlannedDrive, file: DriveFile) {
        let boot = BootID(bytes: Array(repeating: 0, count: 16))
        let place = OutboxPosition(boot: boot, bootNumber: 1, tick: Tick(tenths: 0))
        let record = BGeigieRecord(
            device: 0,
            at: WallTime(nanoseconds: 1_795_321_800_000_000_000),
            rate: 34,
            place: BGeigieRecord.Place(
                latitude: FixedPoint(460_671_000, decimals: 7),
                longitude: FixedPoint(111_211_000, decimals: 7),
                altitude: FixedPoint(19_400, decimals: 2)
            ),
            hasFix: true
        )
        let file = DriveFile(
            name: "roost-20261122T043000Z.LOG",
            bytes: Array((BGeigieRecord.logHead + record.text + "\r\n").utf8),
            lines: 1
        )
        return (PlannedDrive(name: "example", at: place, samples: 1), file)
    }
}
