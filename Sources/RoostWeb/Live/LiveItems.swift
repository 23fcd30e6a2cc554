import ControlProtocol

/// The last items of the live stream, numbered: a page that lost its connection misses none.
///
/// Pure. Bound: `kept` items.
struct LiveItems: Sendable {
    struct Item: Hashable, Sendable {
        let number: UInt64
        /// Ready to send, with its empty line.
        let text: String
    }

    enum Resumption: Hashable, Sendable {
        case items([Item])
        /// The missed items are gone: the page asks for everything anew.
        case reset
    }

    static let kept = 1_024

    /// Id of the connection to the station: numbers of different connections do not compare.
    let epoch: String
    private var items: [Item] = []
    private var next: UInt64 = 1

    init(epoch: String) { self.epoch = epoch }

    /// Numbers an item and keeps it.
    mutating func append(event: String, data: String) -> Item {
        let item = Item(
            number: next,
            text: "id: \(epoch)-\(next)\nevent: \(event)\ndata: \(data)\n\n"
        )
        next += 1
        if items.count == Self.kept { items.removeFirst(Self.kept / 4) }
        items.append(item)
        return item
    }

    /// Returns the items after the last one that a page has.
    ///
    /// - Parameter last: `Last-Event-ID`; nil of a page that begins.
    /// - Returns: The items after it, or that the page has to ask for everything.
    func resumption(after last: String?) -> Resumption {
        guard let last else { return .items([]) }
        let parts = last.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == epoch, let number = UInt64(parts[1]), number < next
        else { return .reset }
        guard let first = items.first?.number else {
            return number + 1 == next ? .items([]) : .reset
        }
        guard number + 1 >= first else { return .reset }
        return .items(items.filter { $0.number > number })
    }
}
