import ControlProtocol
import HardwareIO

/// The acts and facts of `roost-eyes` that its clients can ask for.
package protocol EyesService: Sendable {
    func report() async -> EyesReport

    /// Removes pictures; their bytes are written over.
    ///
    /// - Returns: How many there were.
    /// - Throws: `ControlFailure` `store`.
    func delete(_ pictures: PictureChoice) async throws -> Int
}

/// The pictures that are to be deleted.
package enum PictureChoice: Hashable, Sendable {
    case one(UInt64)
    /// All pictures up to this number, so that none is deleted that the person has not seen listed.
    case allUpTo(UInt64)

    /// - Parameter own: Path of the camera's ring.
    /// - Throws: `ControlFailure` `conflict`, `bad-request`.
    fileprivate init(_ question: DeletePictures, of own: String) throws(ControlFailure) {
        if let other = question.ring, other != own {
            throw ControlFailure(code: .conflict, message: "this camera has the ring \(own)")
        }
        switch (question.number, question.upTo) {
        case (let number?, nil): self = .one(number)
        case (nil, let last?): self = .allUpTo(last)
        default:
            throw ControlFailure(
                code: .badRequest,
                message: "delete takes the number of one picture, or upTo for all up to a number",
                pointer: "/number"
            )
        }
    }
}

extension QuestionTable {
    /// The handlers of all questions to `roost-eyes`.
    ///
    /// - Parameter ring: Path of the camera's ring.
    package init(_ service: any EyesService, ring: String, users: LocalUsers = LocalUsers()) {
        self.init("this camera", users: users)
        on(GetCameraStatus.self) { _, _ in await service.report() }
        on(DeletePictures.self) { question, _ in
            let count = try await service.delete(try PictureChoice(question, of: ring))
            return EyesDeletion(count: count)
        }
    }
}
