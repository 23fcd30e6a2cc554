import ArgumentParser

/// A store's folder, by option or as the only argument.
struct FolderOptions: ParsableArguments {
    @Argument(help: "The store's folder; the same as --store.")
    var folder: String?

    @Option(help: "The store's folder; /var/lib/roost, or that of the station that is asked.")
    var store: String?

    /// What was named; nil when nothing was.
    var named: String? { store ?? folder }
    var path: String { named ?? StoreFolder.standard }

    func validate() throws {
        if folder != nil, store != nil {
            throw ValidationError("name the folder once: with --store, or as the only word")
        }
    }
}
