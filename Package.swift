// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let deques = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// What several test targets share.
func support(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: strict)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

func nio(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-nio") }
func system(_ name: String, _ file: String, _ package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: file, providers: [.apt([package])])
}

func tests(_ name: String, _ needs: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(name: name, dependencies: needs, resources: resources, swiftSettings: strict)
}

let package = Package(
    name: "roost",
    products: ["roostd", "roost", "roost-web", "roost-courier", "roost-eyes"].map {
        .executable(name: $0, targets: [$0])
    },
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        // Of the dashboard alone: `swift build --product roostd` builds none of them.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    ],
    targets: [
        .target(name: "CLinux"), .target(name: "CCapture"), .target(name: "CCamera"),
        .target(name: "CGPIOD", dependencies: ["CLibGPIOD"]),
        system("CLibGPIOD", "libgpiod", "libgpiod-dev"), system("CUdev", "libudev", "libudev-dev"),
        system("CSQLite", "sqlite3", "libsqlite3-dev"),

        library("Core"), library("FileIO"), library("SQLite", ["CSQLite"]),
        .target(name: "CPowerCutVFS", dependencies: ["CSQLite"]),
        library("PowerCut", ["CPowerCutVFS", "HardwareIO", "Core"]),
        library(
            "PowerCutWorkloads",
            ["HardwareIO", "LinuxIO", "PowerCut", "Core", "SQLite", "Store"]
        ),
        library("Store", ["HardwareIO", "Core", "SQLite", deques, logging]),
        library("Alerts", ["Core"]), library("Runtime", ["Core", deques, logging]),
        library("HardwareIO", ["Core", logging]),
        .target(
            name: "Profiles",
            dependencies: ["HardwareIO", "Core"],
            // A link to hardware-profiles/, so that the binary knows them wherever it runs.
            resources: [.embedInCode("Shipped")],
            swiftSettings: strict
        ),
        library(
            "Devices",
            ["Core", "HardwareIO", "Profiles", "Runtime", logging]
        ),
        library("ControlProtocol", ["Core", "HardwareIO"]),
        library(
            "StoreQueries",
            [
                "Alerts", "Camera", "ControlProtocol", "Core", "FileIO", "HardwareIO", "Profiles",
                "SQLite", "Store",
            ]
        ),
        library(
            "Configuration",
            ["Alerts", "Core", "Devices", "HardwareIO", "Profiles", "Runtime", "Store"]
        ),
        library(
            "Station",
            [
                "Alerts", "Configuration", "ControlProtocol", "Core", "Devices", "HardwareIO",
                "Profiles", "Runtime", "Store", deques, logging,
            ]
        ),
        library(
            "LinuxIO",
            [
                "CCapture", "CGPIOD", "CLinux", "CUdev", "Core", "FileIO", "HardwareIO", "Runtime",
                deques, logging,
            ]
        ),
        library(
            "SimulationKit",
            [
                "Core", "Devices", "HardwareIO", "Profiles", "Runtime", "Station", "Store", deques,
                logging,
            ]
        ),
        library(
            "LinuxPlatform",
            [
                "Configuration", "ControlProtocol", "Devices", "FileIO", "HardwareIO", "LinuxIO",
                "Station", "Profiles", "Core", "Store", "StoreQueries", logging,
            ]
        ),
        .target(
            name: "Scenarios",
            dependencies: [
                "Camera", "Configuration", "ControlProtocol", "Core", "CourierSimulation",
                "Devices", "HardwareIO", "PowerCut", "Profiles", "RoostCourier", "Runtime",
                "SQLite", "SimulationKit", "Station", "Store", "StoreQueries", logging,
            ],
            // A link to scenarios/, so that `roost simulate` knows them wherever it runs.
            resources: [.embedInCode("Shipped")],
            swiftSettings: strict
        ),
        library(
            "Fuzzing",
            ["Core", "Devices", "HardwareIO", "Profiles", "Runtime", "SimulationKit"]
        ),
        library("Camera", ["ControlProtocol", "Core", "FileIO", "HardwareIO", logging]),
        library(
            "Eyes",
            [
                "CCamera", "CCapture", "Camera", "ControlProtocol", "Core", "FileIO", "HardwareIO",
                "LinuxIO", "Profiles",
            ]
        ),
        library("ClientSupport", ["ControlProtocol", "Core", "FileIO", "LinuxIO", arguments]),
        library("Provisioning", ["Core", "HardwareIO", "Profiles"]),
        library(
            "ProvisioningIO",
            [
                "Backup", "CLinux", "COpenSSL", "ControlProtocol", "Core", "FileIO", "HardwareIO",
                "LinuxIO", "Profiles", "Provisioning",
            ]
        ),
        library(
            "Doctor",
            [
                "Configuration", "ControlProtocol", "Core", "Devices", "FileIO", "HardwareIO",
                "LinuxIO", "LinuxPlatform", "Profiles", "Provisioning", "Station", "Store",
                "StoreQueries",
            ]
        ),
        .target(name: "COpenSSL", dependencies: ["CLibSSL"]),
        library("Backup", ["COpenSSL", "ControlProtocol", "Core"]),
        system("CArgon2", "libargon2", "libargon2-dev"), system("CLibSSL", "openssl", "libssl-dev"),
        .target(
            name: "RoostWeb",
            dependencies: [
                "Alerts", "Backup", "CArgon2", "COpenSSL", "Camera", "Configuration",
                "ControlProtocol", "Core", "FileIO", "HardwareIO", "Profiles", "Provisioning",
                "SQLite", "Store", "StoreQueries",
                httpTypes, logging, nio("NIOCore"), nio("NIOHTTP1"), nio("NIOPosix"),
            ],
            // Served from the folder that scripts/install copies it to.
            exclude: ["www"],
            swiftSettings: strict
        ),
        .target(
            name: "RoostCourier",
            dependencies: [
                "Alerts", "COpenSSL", "ControlProtocol", "Core", "HardwareIO", "Profiles",
                "Runtime",
                "Store", "StoreQueries", deques, logging,
            ],
            // A link to courier-presets/, so that the binary knows them wherever it runs.
            resources: [.embedInCode("Shipped")],
            swiftSettings: strict
        ),
        system("CCurl", "libcurl", "libcurl4-openssl-dev"),
        system("CMosquitto", "libmosquitto", "libmosquitto-dev"),
        library(
            "CourierIO",
            [
                "CCurl", "CMosquitto", "COpenSSL", "Camera", "ControlProtocol", "Core", "FileIO",
                "HardwareIO", "LinuxIO", "RoostCourier", logging,
            ]
        ),
        library("CourierSimulation", ["Core", "HardwareIO", "Profiles", "RoostCourier"]),
        program(
            "roost-courier",
            [
                "ClientSupport", "ControlProtocol", "Core", "CourierIO", "HardwareIO", "LinuxIO",
                "Profiles", "RoostCourier", "Runtime", "StoreQueries", arguments, logging,
            ]
        ),
        program(
            "roost-eyes",
            [
                "Camera", "ClientSupport", "ControlProtocol", "Core", "Eyes", "HardwareIO",
                "LinuxIO", "Profiles", arguments, logging,
            ]
        ),
        program(
            "roost-web",
            [
                "Camera", "ControlProtocol", "Core", "FileIO", "RoostWeb", "StoreQueries",
                arguments, logging, nio("NIOCore"), nio("NIOPosix"),
            ]
        ),
        program(
            "roostd",
            [
                "Configuration", "Core", "Doctor", "HardwareIO", "LinuxIO", "LinuxPlatform",
                "Profiles", "Runtime", "Station", arguments, logging,
            ]
        ),
        program(
            "roost",
            [
                "Alerts", "Backup", "Camera", "ClientSupport", "Configuration", "ControlProtocol",
                "Core", "Devices", "Doctor", "Eyes", "FileIO", "HardwareIO", "LinuxIO",
                "LinuxPlatform", "Profiles", "Provisioning", "ProvisioningIO", "Runtime", "SQLite",
                "SimulationKit", "Station", "Store", "StoreQueries", arguments, logging,
            ]
        ),
        .executableTarget(
            name: "roost-bench",
            dependencies: [
                "Configuration", "ControlProtocol", "Core", "CourierSimulation", "Devices",
                "HardwareIO", "LinuxIO", "RoostCourier", "Runtime", "SimulationKit", "Station",
                "Store", "StoreQueries", logging,
            ],
            path: "Benchmarks/RoostBench",
            exclude: ["allocations.c"],
            swiftSettings: strict
        ),
        program(
            "roost-lab",
            [
                "ClientSupport", "ControlProtocol", "Core", "Devices", "Fuzzing", "LinuxIO",
                "PowerCut", "PowerCutWorkloads", "Profiles", "Scenarios", "Station", arguments,
            ]
        ),

        tests("CoreTests", ["Core"]),
        support("TestSupport", ["HardwareIO"]), tests("FileIOTests", ["FileIO", "TestSupport"]),
        tests("RuntimeTests", ["Core", "Runtime", "SimulationKit", "TestSupport", logging]),
        tests("GPIOTests", ["CGPIOD", "Core", "HardwareIO", "LinuxIO"]),
        tests(
            "LinuxIOTests",
            [
                "CLinux", "CUdev", "Core", "FileIO", "HardwareIO", "LinuxIO", "SimulationKit",
                "TestSupport", logging,
            ]
        ),
        tests(
            "EyesTests",
            [
                "CCamera", "Camera", "ControlProtocol", "Core", "Eyes", "FileIO", "HardwareIO",
                "Profiles", "SimulationKit", "TestSupport",
            ]
        ),
        tests(
            "BackupTests",
            ["Backup", "ControlProtocol", "Core"],
            resources: [.copy("Fixtures")]
        ),
        tests("CameraTests", ["Camera", "Core", "HardwareIO", "SimulationKit", "TestSupport"]),
        tests("AlertsTests", ["Alerts", "Core", "TestSupport"], resources: [.copy("Fixtures")]),
        tests(
            "DevicesTests",
            [
                "Core", "Devices", "Fuzzing", "HardwareIO", "Profiles", "Runtime", "SimulationKit",
                "TestSupport", logging,
            ],
            resources: [.copy("Fixtures")]
        ),
        tests(
            "ProfilesTests",
            ["Core", "Fuzzing", "HardwareIO", "Profiles", "TestSupport"],
            resources: [.copy("Derived/Fixtures")]
        ),
        tests("ControlProtocolTests", ["ControlProtocol", "Core", "HardwareIO"]),
        tests(
            "ReferenceTests",
            [
                "Configuration", "ControlProtocol", "Core", "CourierSimulation", "Eyes",
                "HardwareIO", "RoostCourier", "RoostWeb", "SimulationKit", "Station",
                "StoreQueries", "TestSupport", "roost", arguments, httpTypes, logging,
                nio("NIOPosix"),
            ]
        ),
        tests(
            "ConfigurationTests",
            [
                "Alerts", "Configuration", "Core", "Devices", "HardwareIO", "Profiles",
                "SimulationKit",
            ]
        ),
        tests(
            "StationTests",
            [
                "Alerts", "Configuration", "ControlProtocol", "Core", "Devices", "HardwareIO",
                "Profiles", "Runtime", "SimulationKit", "Station", "Store", "TestSupport", logging,
            ]
        ),
        tests("SimulationTests", ["Core", "Devices", "HardwareIO", "SimulationKit", logging]),
        tests("ScenariosTests", ["Core", "Profiles", "Scenarios", "TestSupport"]),
        tests("TidyTests", []), tests("SQLiteTests", ["CSQLite", "SQLite", "TestSupport"]),
        tests("PowerCutTests", ["HardwareIO", "PowerCut", "PowerCutWorkloads", "SQLite"]),
        tests(
            "StoreTests",
            [
                "HardwareIO", "LinuxIO", "PowerCut", "PowerCutWorkloads", "Core", "SQLite",
                "SimulationKit", "Store", "TestSupport",
            ],
            resources: [.copy("Fixtures")]
        ),
        tests(
            "roostTests",
            [
                "Alerts", "ClientSupport", "Configuration", "ControlProtocol", "Core", "Devices",
                "Doctor", "FileIO", "HardwareIO", "LinuxPlatform", "Profiles", "SimulationKit",
                "Store", "StoreQueries", "TestSupport", "roost", arguments,
            ]
        ),
        tests(
            "RoostWebTests",
            [
                "Alerts", "COpenSSL", "Camera", "ControlProtocol", "Core", "FileIO", "HardwareIO",
                "Provisioning", "RoostWeb", "SQLite", "Store", "StoreFixtures", "StoreQueries",
                "TestSupport", httpTypes, logging, nio("NIOCore"), nio("NIOEmbedded"),
                nio("NIOPosix"),
            ]
        ),
        tests(
            "RoostCourierTests",
            [
                "Alerts", "COpenSSL", "ControlProtocol", "Core", "CourierSimulation", "HardwareIO",
                "Profiles", "RoostCourier", "Runtime", "SimulationKit", "Store", "StoreFixtures",
                "StoreQueries", "TestSupport", logging,
            ],
            resources: [.copy("Feeds/Rows/Fixtures")]
        ),
        tests(
            "CourierIOTests",
            [
                "COpenSSL", "Core", "CourierIO", "CourierSimulation", "HardwareIO", "LinuxIO",
                "RoostCourier", "Runtime", "TestSupport", logging,
            ]
        ),
        support("StoreFixtures", ["Core", "Store", "StoreQueries", "TestSupport"]),
        tests(
            "StoreQueriesTests",
            ["ControlProtocol", "Core", "Store", "StoreFixtures", "StoreQueries", "TestSupport"]
        ),
        tests(
            "DoctorTests",
            [
                "ControlProtocol", "Core", "Devices", "Doctor", "HardwareIO", "LinuxPlatform",
                "Profiles", "Provisioning", "Station", "Store", "TestSupport",
            ]
        ),
        tests("ProvisioningTests", ["Core", "HardwareIO", "Provisioning", "TestSupport"]),
        tests(
            "ProvisioningIOTests",
            [
                "Backup", "COpenSSL", "ControlProtocol", "Core", "FileIO", "HardwareIO",
                "Provisioning", "ProvisioningIO", "TestSupport",
            ]
        ),
    ]
)

// ROOST_ONLY=GPIOTests builds one target and what it needs: scripts/check gpio 2 compiles no more.
if let only = Context.environment["ROOST_ONLY"] {
    var (wanted, waiting) = (Set<String>(), [only])
    while let name = waiting.popLast() {
        guard wanted.insert(name).inserted else { continue }
        for target in package.targets where target.name == name {
            for case .byNameItem(let needed, _) in target.dependencies { waiting.append(needed) }
        }
    }
    package.targets.removeAll { !wanted.contains($0.name) }
    package.products.removeAll()
}

// What only `roost-lab` and the tests need: no station has it.
let lab: Set = [
    "CPowerCutVFS", "CourierSimulation", "Fuzzing", "PowerCut", "PowerCutWorkloads", "Scenarios",
    "roost-lab",
]
for target in package.targets where lab.contains(target.name) { target.path = "Lab/\(target.name)" }
