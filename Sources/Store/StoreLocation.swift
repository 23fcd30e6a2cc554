/// Where the store of a station lies, and what a new one is like.
package struct StoreLocation: Sendable {
    package let journalPath: String
    package let historyPath: String
    package var plan: StorePlan
    /// Version of the program that opens the store.
    package var version: String
    package var testHooks = HistoryTestHooks()
    /// Slots of the journal that refused a write, when the same process opens it again.
    package var badSlots = JournalBadSlots()
    /// The ring that the station used before another place was chosen; what waits in it is taken
    /// first, and the file set aside.
    package var formerJournal: String?

    package init(journal: String, history: String, plan: StorePlan, version: String) {
        (journalPath, historyPath, self.plan, self.version) = (journal, history, plan, version)
    }
}
