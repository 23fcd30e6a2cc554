/// The message and exit code of a command that could not be carried out.
package struct ClientFailure: Error, CustomStringConvertible {
    package let message: String
    package let exitCode: Int32
    /// Whether no process listens at the socket.
    package var isAbsence = false
    /// Whether a process listens and does not answer.
    package var isSilence = false

    package init(
        message: String,
        exitCode: Int32,
        isAbsence: Bool = false,
        isSilence: Bool = false
    ) {
        self.message = message
        self.exitCode = exitCode
        self.isAbsence = isAbsence
        self.isSilence = isSilence
    }

    package var description: String { message }
}

/// `EX_UNAVAILABLE` of sysexits.h: no station answers.
package let unavailableExitCode: Int32 = 69
