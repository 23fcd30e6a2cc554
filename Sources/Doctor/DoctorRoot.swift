import Profiles

/// Where a check looks.
package struct DoctorRoot {
    let tree: DoctorTree
    let machine: DoctorMachine
    /// The configuration file, below the root.
    var configurationPath: String
    /// The folder of the owner's profiles, below the root, unless the configuration names one.
    var profilesFolder = ProfileCatalog.standardFolder

    package init(
        tree: DoctorTree,
        machine: DoctorMachine,
        configurationPath: String = "/etc/roost/roost.json"
    ) {
        (self.tree, self.machine) = (tree, machine)
        self.configurationPath = configurationPath
    }
}
