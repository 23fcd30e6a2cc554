import ControlProtocol

/// The last items of the live stream, numbered: a page that lost its connection misses none.
///
/// Pure. Bound: `kept` items.
package struct LiveItems: Sendable {
    package struct Item: Hashable, Sendable {
        package let number: UInt64
        /// Ready to send, with its empty line.
        package let text: String
    }

    package enum Resumption: Hashable, Sendable {
        case items([Item])
        /// The missed items are gone: the page asks for everything anew.
        case reset
    }

    package static let kept = 1_024

    /// Id of the connection to the station: numbers of different connections do not compare.
    package let epoch: String
    private var items: [Item] = []
    private var next: UInt64 = 1

    package init(epoch: String) { self.epoch = epoch }

    /// Numbers an item and keeps it.
    package mutating func append(event: String, data: String) -> Item {
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
    package func resumption(after last: String?) -> Resumption {
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
