import Store

/// The streams of a history in the order in which a person means them.
enum StreamOrder {
    /// Sorts streams: those in use, then those of the past, then imported ones.
    static func byUse(_ reader: HistoryReader) throws(StoreError) -> [StreamDescription] {
        let inUse = try reader.streamsInUse()
        func rank(_ stream: StreamDescription) -> Int {
            stream.id.isImported ? 2 : inUse.contains(stream.id) ? 0 : 1
        }
        return try reader.streams().sorted { (rank($0), $0.id) < (rank($1), $1.id) }
    }
}
