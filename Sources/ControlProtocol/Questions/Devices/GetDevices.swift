package struct GetDevices: Question {
    package typealias Answer = DevicesReport
    package static let about = QuestionFacts("devices", for: .readers, "All devices and ports.")

    package init() {}
}
