/// A list as answers have it; `next` is the `cursor` of the next page.
struct ItemList<Item: Codable & Sendable>: Codable, Sendable {
    let items: [Item]
    var next: String?

    init(_ items: [Item], next: String? = nil) { (self.items, self.next) = (items, next) }
}
