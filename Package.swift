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
let deques = Target.Dependency.product(name: "DequeModule", package: "swift-collections")

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(
    _ name: String,
    _ dependencies: [Target.Dependency],
    resources: [Resource] = []
) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies,
        resources: resources,
        swiftSettings: strict
    )
}

let package = Package(
    name: "roost",
    products: [
        .executable(name: "roostd", targets: ["roostd"]),
        .executable(name: "roost", targets: ["roost"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    ],
    targets: [
        .target(name: "CLinux"),
        .target(name: "CGPIOD", dependencies: ["CLibGPIOD"]),
        .systemLibrary(
            name: "CLibGPIOD",
            pkgConfig: "libgpiod",
            providers: [.apt(["libgpiod-dev"])]
        ),
        .systemLibrary(name: "CUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),

        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),

        library("Readings"),
        library("SQLite", ["CSQLite"]),
        .target(name: "CPowerCutVFS", dependencies: ["CSQLite"]),
        library("PowerCut", ["CPowerCutVFS", "HardwareIO", "Readings"]),
        library(
            "PowerCutWorkloads",
            ["HardwareIO", "LinuxIO", "PowerCut", "Readings", "SQLite", "Store"]
        ),
        library("Store", ["HardwareIO", "Readings", "SQLite", deques, logging]),
        library("Alerts", ["Readings"]),
        library("Supervision", ["Readings", deques, logging]),
        library("Scheduling", ["Readings"]),
        library("HardwareIO", ["Readings", logging]),
        .target(
            name: "Profiles",
            dependencies: ["HardwareIO", "Readings"],
            // A link to hardware-profiles/, so that the binary knows them wherever it runs.
            resources: [.embedInCode("Shipped")],
            swiftSettings: strict
        ),
        library(
            "Devices",
            ["HardwareIO", "Profiles", "Readings", "Scheduling", "Supervision", logging]
        ),
        library("ControlProtocol", ["Readings"]),
        library(
            "Node",
            [
                "Alerts", "ControlProtocol", "Devices", "HardwareIO", "Profiles", "Readings",
                "Scheduling", "Store", "Supervision", deques, logging,
            ]
        ),
        library(
            "LinuxIO",
            [
                "CGPIOD", "CLinux", "CUdev", "HardwareIO", "Readings", "Scheduling", deques,
                logging,
            ]
        ),
        library(
            "SimulationKit",
            [
                "Devices", "HardwareIO", "Node", "Profiles", "Readings", "Scheduling", "Store",
                "Supervision", deques, logging,
            ]
        ),
        library(
            "LinuxPlatform",
            ["Devices", "HardwareIO", "LinuxIO", "Node", "Profiles", "Readings", "Store", logging]
        ),
        .target(
            name: "Scenarios",
            dependencies: [
                "ControlProtocol", "Devices", "HardwareIO", "Node", "PowerCut", "Profiles",
                "Readings", "SQLite", "SimulationKit", "Store", "Supervision", logging,
            ],
            // A link to scenarios/, so that `roost simulate` knows them wherever it runs.
            resources: [.embedInCode("Shipped")],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "roostd",
            dependencies: [
                "HardwareIO", "LinuxIO", "LinuxPlatform", "Node", "Profiles", "Readings",
                "Supervision", arguments, logging,
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "roost",
            dependencies: [
                "ControlProtocol", "Devices", "HardwareIO", "LinuxIO", "LinuxPlatform", "Node",
                "Profiles", "Readings", "SQLite", "Scenarios", "SimulationKit", "Store",
                "Supervision", arguments, logging,
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "roost-bench",
            dependencies: [
                "ControlProtocol", "Devices", "HardwareIO", "LinuxIO", "Node", "Readings",
                "SimulationKit", "Store", "Supervision", logging,
            ],
            path: "Benchmarks/RoostBench",
            exclude: ["allocations.c"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "roost-powercut",
            dependencies: ["PowerCut", "PowerCutWorkloads", arguments],
            path: "Benchmarks/RoostPowerCut",
            swiftSettings: strict
        ),

        tests("ReadingsTests", ["Readings"]),
        tests("SchedulingTests", ["Readings", "Scheduling"]),
        tests(
            "SupervisionTests",
            ["Readings", "Scheduling", "SimulationKit", "Supervision", logging]
        ),
        tests(
            "LinuxIOTests",
            [
                "CGPIOD", "CLinux", "CUdev", "Devices", "HardwareIO", "LinuxIO", "Readings",
                "Scheduling", "Supervision", "SimulationKit", logging,
            ]
        ),
        tests("AlertsTests", ["Alerts", "Readings"]),
        tests(
            "DevicesTests",
            [
                "Devices", "HardwareIO", "Profiles", "Readings", "Scheduling", "SimulationKit",
                "Supervision", logging,
            ],
            resources: [.copy("Fixtures")]
        ),
        tests(
            "ProfilesTests",
            ["HardwareIO", "Profiles", "Readings"],
            resources: [.copy("Graph/Fixtures")]
        ),
        tests("ControlProtocolTests", ["ControlProtocol", "Readings"]),
        tests(
            "NodeTests",
            [
                "Alerts", "ControlProtocol", "Devices", "HardwareIO", "Node", "Profiles",
                "Readings", "Scheduling", "SimulationKit", "Store", "Supervision", logging,
            ]
        ),
        tests(
            "SimulationTests",
            [
                "Devices", "HardwareIO", "Node", "Readings", "Scheduling", "SimulationKit",
                "Supervision", logging,
            ]
        ),
        tests(
            "ScenariosTests",
            ["HardwareIO", "Node", "PowerCut", "Profiles", "Readings", "Scenarios", "Store"]
        ),
        tests("SQLiteTests", ["CSQLite", "SQLite"]),
        tests("PowerCutTests", ["HardwareIO", "PowerCut", "PowerCutWorkloads", "SQLite"]),
        tests(
            "StoreTests",
            [
                "HardwareIO", "LinuxIO", "PowerCut", "PowerCutWorkloads", "Readings", "SQLite",
                "SimulationKit", "Store",
            ],
            resources: [.copy("Fixtures")]
        ),
        tests(
            "roostTests",
            ["ControlProtocol", "Devices", "Profiles", "Readings", "Store", "roost", arguments]
        ),
        tests("TidyTests", []),
    ]
)
