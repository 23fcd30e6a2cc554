extension TidyRule {
    static let imports = [importTable, everyTargetListed, noFoundation, foundationPlaces]

    /// Targets that each target may import, besides Core, Logging and the toolchain's own modules.
    ///
    /// Dependencies point down and never sideways: a new arrow is a decision, made here and in
    /// ARCHITECTURE.md together.
    private static let table: [String: Set<String>] = [
        "Core": [],
        "FileIO": ["Glibc"],
        "Alerts": [],
        "Runtime": ["DequeModule"],
        "HardwareIO": [],
        "SQLite": ["CSQLite", "Glibc"],
        "Store": ["DequeModule", "Glibc", "HardwareIO", "SQLite"],
        "PowerCut": ["CPowerCutVFS", "Glibc", "HardwareIO"],
        "PowerCutWorkloads": ["Glibc", "HardwareIO", "LinuxIO", "PowerCut", "SQLite", "Store"],
        "Profiles": ["HardwareIO"],
        "Devices": ["HardwareIO", "Profiles", "Runtime"],
        "Fuzzing": ["Devices", "HardwareIO", "Profiles", "Runtime", "SimulationKit", "Store"],
        "ControlProtocol": ["HardwareIO"],
        "StoreQueries": [
            "Alerts", "Camera", "ControlProtocol", "FileIO", "Glibc", "HardwareIO", "Profiles",
            "SQLite", "Store",
        ],
        "Configuration": ["Alerts", "Devices", "HardwareIO", "Profiles", "Runtime", "Store"],
        "Station": [
            "Alerts", "Configuration", "ControlProtocol", "DequeModule", "Devices", "HardwareIO",
            "Profiles", "Runtime", "Store",
        ],
        "LinuxIO": [
            "CCapture", "CGPIOD", "CLinux", "CUdev", "DequeModule", "FileIO", "Glibc",
            "HardwareIO", "Runtime",
        ],
        "SimulationKit": [
            "DequeModule", "Devices", "HardwareIO", "Profiles", "Runtime", "Station",
        ],
        "Scenarios": [
            "Camera", "Configuration", "ControlProtocol", "CourierSimulation", "Devices", "Glibc",
            "HardwareIO", "PowerCut", "Profiles", "RoostCourier", "Runtime", "SQLite",
            "SimulationKit", "Station", "Store",
        ],
        "LinuxPlatform": [
            "Configuration", "ControlProtocol", "Devices", "FileIO", "Glibc", "HardwareIO",
            "LinuxIO", "Station", "Profiles", "StoreQueries",
        ],
        "Doctor": [
            "Configuration", "ControlProtocol", "Devices", "FileIO", "Glibc", "HardwareIO",
            "LinuxIO", "LinuxPlatform", "Profiles", "Provisioning", "Station", "Store",
            "StoreQueries",
        ],
        "roostd": [
            "ArgumentParser", "Configuration", "Doctor", "Glibc", "HardwareIO", "LinuxIO",
            "LinuxPlatform", "Profiles", "Runtime", "Station",
        ],
        "Backup": ["COpenSSL", "ControlProtocol"],
        "RoostWeb": [
            "Alerts", "Backup", "CArgon2", "COpenSSL", "Camera", "Configuration", "ControlProtocol",
            "FileIO", "Glibc", "HTTPTypes", "HardwareIO", "NIOCore", "NIOHTTP1", "NIOPosix",
            "Profiles", "Provisioning", "SQLite", "Store", "StoreQueries",
        ],
        "roost-web": [
            "ArgumentParser", "Camera", "ControlProtocol", "FileIO", "Glibc", "NIOCore", "NIOPosix",
            "RoostWeb", "StoreQueries",
        ],
        "RoostCourier": [
            "Alerts", "COpenSSL", "ControlProtocol", "DequeModule", "HardwareIO", "Profiles",
            "Runtime", "Store", "StoreQueries",
        ],
        "CourierIO": [
            "CCurl", "CMosquitto", "COpenSSL", "Camera", "ControlProtocol", "FileIO", "Glibc",
            "HardwareIO", "LinuxIO", "RoostCourier",
        ],
        "CourierSimulation": ["Profiles", "RoostCourier"],
        "roost-courier": [
            "ArgumentParser", "ClientSupport", "ControlProtocol", "CourierIO", "Glibc",
            "HardwareIO", "LinuxIO", "Profiles", "RoostCourier", "Runtime", "StoreQueries",
        ],
        "Camera": ["ControlProtocol", "FileIO", "Glibc", "HardwareIO"],
        "Eyes": [
            "CCamera", "CCapture", "Camera", "ControlProtocol", "FileIO", "Glibc", "HardwareIO",
            "LinuxIO", "Profiles",
        ],
        "roost-eyes": [
            "ArgumentParser", "Camera", "ClientSupport", "ControlProtocol", "Eyes", "Glibc",
            "HardwareIO", "LinuxIO", "Profiles",
        ],
        "ClientSupport": ["ArgumentParser", "ControlProtocol", "FileIO", "Glibc", "LinuxIO"],
        "Provisioning": ["HardwareIO", "Profiles"],
        "ProvisioningIO": [
            "Backup", "CLinux", "COpenSSL", "ControlProtocol", "FileIO", "Glibc", "HardwareIO",
            "LinuxIO",
            "Profiles", "Provisioning",
        ],
        "roost-lab": [
            "ArgumentParser", "ClientSupport", "ControlProtocol", "Devices", "Fuzzing", "Glibc",
            "LinuxIO", "PowerCut", "PowerCutWorkloads", "Profiles", "Scenarios", "Station",
        ],
        "roost": [
            "Alerts", "ArgumentParser", "Backup", "Camera", "ClientSupport", "Configuration",
            "ControlProtocol", "Devices", "Doctor", "Eyes", "FileIO", "Glibc", "HardwareIO",
            "LinuxIO", "LinuxPlatform", "Profiles", "Provisioning", "ProvisioningIO", "Runtime",
            "SQLite", "SimulationKit", "Station", "Store", "StoreQueries",
        ],
    ]

    /// Part of the toolchain, not of the operating system.
    private static let toolchain: Set = ["Synchronization", "FoundationEssentials"]

    private static let importTable = perFile(
        "A target imports only what its row of the table allows",
        bad: [
            .file("Sources/Core/A.swift", "import Runtime"),
            .file("Sources/Station/A.swift", "@preconcurrency import LinuxIO"),
            .file("Sources/Devices/A.swift", "import struct Station.Station"),
            .file("Sources/Runtime/A.swift", "package import Devices"),
            .file("Sources/HardwareIO/A.swift", "import Glibc"),
        ],
        good: [
            .file("Sources/Station/A.swift", "import Devices\nimport Logging\nimport Core"),
            .file("Sources/Station/A.swift", "let words = \"import LinuxIO\" // import LinuxIO"),
            .file("Tests/StationTests/A.swift", "import SimulationKit"),
        ]
    ) { file in
        guard file.isUnder("Sources/", "Lab/"), let target = file.target, let row = table[target]
        else {
            return []
        }
        return imports(of: file).compactMap { module, line in
            let always = module == "Core" || module == "Logging" || toolchain.contains(module)
            guard !always, !row.contains(module) else { return nil }
            return Finding(path: file.path, line: line, words: "\(target) may not import \(module)")
        }
    }

    private static let everyTargetListed = perFile(
        "Every Swift target has a row in the import table",
        bad: [.file("Sources/Novelty/A.swift", "")],
        good: [.file("Sources/Station/A.swift", ""), .file("Sources/CLinux/a.c", "")]
    ) { file in
        guard file.isUnder("Sources/", "Lab/"), file.name.hasSuffix(".swift"),
            let target = file.target,
            table[target] == nil
        else { return [] }
        return [Finding(path: file.path, line: 0, words: "\(target) has no row in the table")]
    }

    private static let noFoundation = perFile(
        "Nothing imports Foundation: it brings 42 MB of locale data",
        bad: [
            .file("Sources/roost/A.swift", "import Foundation"),
            .file("Tests/StationTests/A.swift", "import Foundation"),
            .file("Sources/roost/A.swift", "import FoundationNetworking"),
        ],
        good: [.file("Sources/roost/A.swift", "import FoundationEssentials")]
    ) { file in
        imports(of: file).filter { $0.module.hasPrefix("Foundation") }
            .filter { $0.module != "FoundationEssentials" }
            .map { Finding(path: file.path, line: $0.line, words: "imports \($0.module)") }
    }

    private static let foundationPlaces = perFile(
        "FoundationEssentials is for JSON: profiles, control protocol, commands, web and tests",
        bad: [.file("Sources/LinuxIO/A.swift", "import FoundationEssentials")],
        good: [.file("Tests/DevicesTests/A.swift", "import FoundationEssentials")]
    ) { file in
        let isFree =
            !file.isUnder("Sources/")
            || file.isUnder(
                "Sources/Profiles/",
                "Sources/Station/",
                "Sources/ControlProtocol/",
                "Sources/roost/",
                "Sources/roost-courier/",
                "Sources/RoostWeb/"
            )
        guard !isFree else { return [] }
        return imports(of: file).filter { $0.module == "FoundationEssentials" }
            .map { Finding(path: file.path, line: $0.line, words: "needs no JSON") }
    }

    private static func imports(of file: SourceFile) -> [(module: String, line: Int)] {
        let kinds: Set = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
        return file.tokens.indices.dropLast().compactMap { index in
            guard file.tokens[index].text == "import" else { return nil }
            let next = file.tokens[index + 1]
            guard kinds.contains(next.text), index + 2 < file.tokens.count else {
                return (next.text, next.line)
            }
            return (file.tokens[index + 2].text, next.line)
        }
    }
}
