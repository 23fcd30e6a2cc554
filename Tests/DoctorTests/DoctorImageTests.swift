import Testing

@testable import Doctor

@Suite struct DoctorImageTests {
    private let image = DoctorImage(root: "/mnt/card")

    @Test(arguments: [
        (
            "echo dtparam=spi=off | sudo tee -a /boot/firmware/config.txt && sudo reboot",
            "echo dtparam=spi=off | sudo tee -a /mnt/card/boot/firmware/config.txt"
        ),
        (
            "sudo roost profiles rules --write /etc/udev/rules.d && sudo udevadm control --reload",
            "sudo roost profiles rules --write /mnt/card/etc/udev/rules.d"
        ),
        (
            "echo 'tmpfs /var/log tmpfs' | sudo tee -a /etc/fstab && sudo reboot",
            "echo 'tmpfs /var/log tmpfs' | sudo tee -a /mnt/card/etc/fstab"
        ),
        ("sudo apt-get remove brltty", "sudo chroot /mnt/card apt-get remove brltty"),
        (
            "sudo systemctl disable --now ModemManager",
            "sudo chroot /mnt/card systemctl disable ModemManager"
        ),
        ("sudo kill 17", "on the machine itself, once it runs: sudo kill 17"),
    ])
    func aStepIsForTheImageAlone(_ step: String, _ wanted: String) {
        #expect(image.commands(step) == wanted)
    }
}
