import ControlProtocol
import HardwareIO

/// The acts and facts of `roost-eyes` that its clients can ask for.
package protocol EyesService: Sendable {
    func report() async throws -> EyesReport

    /// Removes pictures; their bytes are written over.
    ///
    /// - Returns: How many there were.
    /// - Throws: `ControlFailure` `store`.
    func delete(_ pictures: PictureChoice) async throws -> Int

    /// The settings of the owner.
    func settings() async throws -> CameraSettingsReport

    /// Changes them.
    ///
    /// - Throws: `ControlFailure`: nothing was changed.
    func change(_ question: ChangeCamera) async throws

    /// - Throws: As `change`.
    func undo(_ question: UndoCamera) async throws

    /// `eyes.json` with the settings of the owner, for another card.
    ///
    /// - Throws: `ControlFailure`.
    func exported() async throws -> ExportedFile

    /// The settings of the owner, for a backup.
    ///
    /// - Throws: `ControlFailure`.
    func backup() async throws -> BackupPartReport

    /// - Throws: As `change`.
    func restore(_ question: RestorePart) async throws -> RestoreReport

    /// Takes a picture that is not kept.
    ///
    /// - Throws: `ControlFailure` for settings that are wrong.
    func trial(_ question: TryCamera) async throws -> CameraTrialReport

    /// - Throws: `ControlFailure` `gone`.
    func piece(_ question: GetTriedPicture) async throws -> TriedPicturePiece
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
        on(GetCameraStatus.self) { _, _ in try await service.report() }
        on(DeletePictures.self) { question, _ in
            let count = try await service.delete(try PictureChoice(question, of: ring))
            return EyesDeletion(count: count)
        }
        on(GetCameraSettings.self) { _, _ in try await service.settings() }
        on(ChangeCamera.self) { question, _ in
            try await service.change(question)
            return try await service.settings()
        }
        on(UndoCamera.self) { question, _ in
            try await service.undo(question)
            return try await service.settings()
        }
        on(ExportSettings.self) { _, _ in try await service.exported() }
        on(BackUp.self) { _, _ in try await service.backup() }
        on(RestorePart.self) { question, _ in try await service.restore(question) }
        // It takes as long as the camera does, and ends when its peer leaves.
        let mayWait: @Sendable (TryCamera) -> Bool = { _ in true }
        on(TryCamera.self, mayWait: mayWait) { question, _ in
            try await service.trial(question)
        }
        on(GetTriedPicture.self) { question, _ in try await service.piece(question) }
    }
}

/// A camera without settings of an owner refuses what is asked of them.
extension EyesService {
    private var refusal: ControlFailure {
        ControlFailure(code: .notOffered, message: "this camera has no settings")
    }

    package func settings() async throws -> CameraSettingsReport { throw refusal }

    package func change(_ question: ChangeCamera) async throws { throw refusal }

    package func undo(_ question: UndoCamera) async throws { throw refusal }

    package func exported() async throws -> ExportedFile { throw refusal }

    package func backup() async throws -> BackupPartReport { throw refusal }

    package func restore(_ question: RestorePart) async throws -> RestoreReport { throw refusal }

    package func trial(_ question: TryCamera) async throws -> CameraTrialReport { throw refusal }

    package func piece(_ question: GetTriedPicture) async throws -> TriedPicturePiece {
        throw refusal
    }
}
