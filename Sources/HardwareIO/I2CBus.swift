/// A question to one address of an I²C bus that changes nothing in a part.
package enum I2CQuestion: Hashable, Sendable {
    /// The address and nothing else: SMBus *quick write*.
    case quick
    /// One byte, of whatever the part has ready: SMBus *receive byte*.
    case receive
    /// 1 or 2 bytes of a register: its number is written, then read from.
    case register(UInt8, count: Int)
    /// A command of one byte, a pause of 1…100 ms, then 1…16 bytes.
    case command(UInt8, milliseconds: Int, count: Int)
    /// One byte: a multiplexer gets back the channels that it had.
    case send(UInt8)
}

package enum I2CAnswer: Hashable, Sendable {
    /// What was read; no bytes where nothing was to be read.
    case bytes([UInt8])
    /// No part acknowledges.
    case nothing
    /// A driver of the kernel has the address.
    case owned
    /// The bus did not finish in time.
    case timeOut
    /// The bus cannot ask this.
    case unable
    /// Any other error number.
    case failed(Int32)
}

/// A bus that is open for questions; each may block for a second.
package protocol I2CBus: AnyObject, Sendable {
    func ask(_ question: I2CQuestion, at address: UInt8) -> I2CAnswer
}

/// A bus as the system lists it, before anything is asked.
package struct I2CBusEntry: Hashable, Sendable {
    /// What the kernel knows at one address.
    package struct Part: Hashable, Sendable {
        package let address: UInt8
        /// The kernel's name: `bme280`.
        package let name: String
        /// Name of its driver; nil where none took it.
        package let driver: String?

        package init(address: UInt8, name: String, driver: String?) {
            (self.address, self.name, self.driver) = (address, name, driver)
        }
    }

    /// The number of `/dev/i2c-1`.
    package let number: Int
    /// `bcm2835 (i2c@7e804000)`.
    package let name: String
    /// In order of address; 112 at most.
    package let parts: [Part]

    package init(number: Int, name: String, parts: [Part] = []) {
        (self.number, self.name, self.parts) = (number, name, parts)
    }
}

/// Why a bus cannot be asked.
package enum I2CError: Error, Hashable, Sendable {
    /// There is no `/dev/i2c-N`: the module i2c-dev is not loaded.
    case noDevice(path: String)
    case noPermission(path: String, owner: String, group: String, mode: String)
    case failed(path: String, errno: Int32)
}

/// The I²C buses of a machine, and the files by which parts get drivers; each call may block.
package protocol I2CBuses: Sendable {
    /// Buses in order of their numbers; at most 32.
    func list() -> [I2CBusEntry]

    /// Opens a bus for questions.
    func open(_ number: Int) throws(I2CError) -> any I2CBus

    /// The list of parts that want a driver, as it is on the card; nil without one.
    ///
    /// - Throws: `StorageError`.
    func readList() throws(StorageError) -> [UInt8]?

    /// Replaces the list, on the card when it returns, and wakes the service of root.
    ///
    /// - Returns: Why the service was not woken, though the list is there; nil where it was.
    /// - Throws: `StorageError`: the old list may still be there.
    func writeList(_ bytes: [UInt8]) throws(StorageError) -> StorageError?

    /// What the service wrote of its last run; nil before one in this boot.
    func readResult() -> [UInt8]?
}

/// A machine without I²C.
package struct NoI2CBuses: I2CBuses {
    package init() {}

    package func list() -> [I2CBusEntry] { [] }

    package func open(_ number: Int) throws(I2CError) -> any I2CBus {
        throw .noDevice(path: "/dev/i2c-\(number)")
    }

    package func readList() throws(StorageError) -> [UInt8]? { nil }

    package func writeList(_ bytes: [UInt8]) throws(StorageError) -> StorageError? {
        throw .absent(path: "/var/lib/roost/bus")
    }

    package func readResult() -> [UInt8]? { nil }
}
