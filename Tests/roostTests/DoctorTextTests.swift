import ControlProtocol
import Core
import Doctor
import Testing

@testable import roost

@Suite struct DoctorTextTests {
    @Test func aReportIsWordsWithTheNextActBelow() throws {
        let next = "echo dtparam=spi=off | sudo tee -a /boot/firmware/config.txt && sudo reboot"
        let report: DoctorReport = try ControlCodec.message(
            from: """
                {"model": "Raspberry Pi Zero 2 W Rev 1.0", "board": "raspberry-pi-zero-2-w",
                 "worst": "failure", "findings": [
                  {"name": "spi", "verdict": "failure", "sentence": "SPI is on", "details": ["a"],
                   "nextStep": "\(next)"},
                  {"name": "swap", "verdict": "ok",
                   "sentence": "nothing is swapped", "details": []},
                  {"name": "clock", "verdict": "skipped", "sentence": "no Pi", "details": []}]}
                """
        )
        let lines = report.lines(Paint(isColoured: false), showsSkipped: false)
        #expect(
            lines == [
                "Raspberry Pi Zero 2 W Rev 1.0 (raspberry-pi-zero-2-w)",
                "failure  spi    SPI is on",
                "                - a",
                "                → \(next)",
                "ok       swap   nothing is swapped",
                "1 failure, 1 ok, 1 skipped",
            ]
        )
    }
}
