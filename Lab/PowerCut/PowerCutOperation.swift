/// One thing done to the files of a folder, as a power cut counts them.
package enum PowerCutOperation: Hashable, Sendable {
    case create(String)
    case write(String, offset: Int, bytes: [UInt8])
    case truncate(String, byteCount: Int)
    case sync(String)
    case delete(String)
    case rename(String, to: String)
    case syncFolder
    /// A mark, no operation: the workload acknowledged here that a record is durable.
    case acknowledge(Int64)
}

extension PowerCutOperation {
    /// The operation and its file, as in `write history.db`.
    package var kind: String {
        switch self {
        case .create(let name): "create \(name)"
        case .write(let name, _, _): "write \(name)"
        case .truncate(let name, _): "truncate \(name)"
        case .sync(let name): "sync \(name)"
        case .delete(let name): "delete \(name)"
        case .rename(let name, _): "rename \(name)"
        case .syncFolder: "sync folder"
        case .acknowledge: "acknowledge"
        }
    }
}

extension PowerCutOperation: CustomStringConvertible {
    /// A short description, without the bytes.
    package var description: String {
        switch self {
        case .create(let name): "create \(name)"
        case .write(let name, let offset, let bytes): "write \(name) \(offset)+\(bytes.count)"
        case .truncate(let name, let byteCount): "truncate \(name) to \(byteCount)"
        case .sync(let name): "sync \(name)"
        case .delete(let name): "delete \(name)"
        case .rename(let name, let other): "rename \(name) to \(other)"
        case .syncFolder: "sync folder"
        case .acknowledge(let number): "acknowledge \(number)"
        }
    }
}

/// The error with which the medium refuses an operation.
package enum PowerCutFault: String, Hashable, Sendable, CaseIterable {
    /// EIO.
    case broken
    /// ENOSPC; only creating and writing need room.
    case full
    /// EROFS, as after an error remounted the file system.
    case readOnly
}
