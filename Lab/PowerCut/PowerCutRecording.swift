import CPowerCutVFS

/// Records every operation on the files directly in one folder, in order.
///
/// SQLite is recorded when its connection is opened with `vfs: PowerCutRecording.vfs`; other
/// files when they are written through `PowerCutBlockStorage` or noted here. Temporary files and
/// the shared memory of a write-ahead log are left out: neither outlives a power cut. A sync is
/// noted and not done. Recordings of different folders are independent, on any threads.
package final class PowerCutRecording {
    /// The name of the SQLite VFS; opened in a folder without a recording it changes nothing.
    package static let vfs: String = {
        let code = powercut_register()
        precondition(code == 0, "SQLite registers no VFS: \(code)")
        return "powercut"
    }()

    package let folder: String
    private let log: OpaquePointer

    /// Starts recording a folder that exists.
    package init(folder: String) {
        _ = Self.vfs
        guard let log = powercut_log_open(folder) else {
            preconditionFailure("\(folder) is no folder")
        }
        self.log = log
        self.folder = folder
    }

    deinit { powercut_log_close(log) }

    /// Says that the workload has promised something: from here on it must survive.
    package func acknowledge(_ number: Int64) { powercut_log_mark(log, number) }

    /// Operations tried so far, refused ones too, acknowledgements not.
    package var triedCount: Int { Int(powercut_log_tried(log)) }

    /// Refuses operations from number `first` on, counted like `triedCount`.
    ///
    /// - Parameters:
    ///   - first: The first one refused.
    ///   - count: How many; afterwards the medium works again.
    package func fail(_ fault: PowerCutFault, from first: Int, count: Int = .max) {
        let kind =
            switch fault {
            case .broken: POWERCUT_FAULT_IO
            case .full: POWERCUT_FAULT_FULL
            case .readOnly: POWERCUT_FAULT_READ_ONLY
            }
        powercut_log_fail(log, UInt64(first), UInt64(count), kind)
    }

    /// Everything recorded so far, or since the last call.
    package var operations: [PowerCutOperation] {
        (0..<powercut_log_count(log)).map { Self.operation(powercut_log_get(log, $0)) }
    }

    /// Everything recorded since the last call, which is forgotten here.
    func takeOperations() -> [PowerCutOperation] {
        defer { powercut_log_clear(log) }
        return operations
    }

    private static func operation(_ found: powercut_operation) -> PowerCutOperation {
        let name = String(cString: found.name)
        let bytes = UnsafeBufferPointer(start: found.bytes, count: found.count)
        switch found.kind {
        case POWERCUT_CREATE: return .create(name)
        case POWERCUT_WRITE:
            return .write(name, offset: Int(found.offset), bytes: [UInt8](bytes))
        case POWERCUT_TRUNCATE: return .truncate(name, byteCount: Int(found.offset))
        case POWERCUT_SYNC: return .sync(name)
        case POWERCUT_DELETE: return .delete(name)
        case POWERCUT_RENAME: return .rename(name, to: String(decoding: bytes, as: UTF8.self))
        case POWERCUT_SYNC_FOLDER: return .syncFolder
        case POWERCUT_MARK: return .acknowledge(found.offset)
        default: preconditionFailure("an operation of kind \(found.kind)")
        }
    }
}
