/// The files of `hardware-profiles/`, which are part of the binary.
package enum ShippedProfiles {
    /// The JSON Schema of a profile.
    package static let schema = PackageResources.profile_schema_json

    /// One line each, in order of name; a test holds this list and the folder equal.
    package static let files: [ProfileFile] = [
        file("ams-ccs811", PackageResources.ams_ccs811_json),
        file("ams-tsl4531", PackageResources.ams_tsl4531_json),
        file("aosong-aht20", PackageResources.aosong_aht20_json),
        file("aosong-aht20-direct", PackageResources.aosong_aht20_direct_json),
        file("aosong-dht22", PackageResources.aosong_dht22_json),
        file("bosch-bme280", PackageResources.bosch_bme280_json),
        file("bosch-bme680", PackageResources.bosch_bme680_json),
        file("bosch-bmp180", PackageResources.bosch_bmp180_json),
        file("bosch-bmp280", PackageResources.bosch_bmp280_json),
        file("bosch-bmp388", PackageResources.bosch_bmp388_json),
        file("button", PackageResources.button_json),
        file("dallas-ds18b20", PackageResources.dallas_ds18b20_json),
        file("generic-http-line", PackageResources.generic_http_line_json),
        file("generic-line", PackageResources.generic_line_json),
        file("generic-linux", PackageResources.generic_linux_json),
        file("hc-sr501", PackageResources.hc_sr501_json),
        file("honeywell-hpma115", PackageResources.honeywell_hpma115_json),
        file("led", PackageResources.led_json),
        file("mightyohm-geiger", PackageResources.mightyohm_geiger_json),
        file("milano-board", PackageResources.milano_board_json),
        file("nmea-receiver", PackageResources.nmea_receiver_json),
        file("nova-sds011", PackageResources.nova_sds011_json),
        file("nova-sds011-humidity", PackageResources.nova_sds011_humidity_json),
        file("nxp-lm75", PackageResources.nxp_lm75_json),
        file("plantower-pms", PackageResources.plantower_pms_json),
        file("plantower-pms5003s", PackageResources.plantower_pms5003s_json),
        file("plantower-pms5003st", PackageResources.plantower_pms5003st_json),
        file("plantower-pms5003t", PackageResources.plantower_pms5003t_json),
        file("raspberry-pi-3", PackageResources.raspberry_pi_3_json),
        file("raspberry-pi-4", PackageResources.raspberry_pi_4_json),
        file("raspberry-pi-5", PackageResources.raspberry_pi_5_json),
        file("raspberry-pi-cm4", PackageResources.raspberry_pi_cm4_json),
        file("raspberry-pi-zero-2-w", PackageResources.raspberry_pi_zero_2_w_json),
        file("rohm-bh1750", PackageResources.rohm_bh1750_json),
        file("safecast-bgeigie-nano", PackageResources.safecast_bgeigie_nano_json),
        file("sensirion-scd30", PackageResources.sensirion_scd30_json),
        file("sensirion-scd30-direct", PackageResources.sensirion_scd30_direct_json),
        file("sensirion-scd30-pressure", PackageResources.sensirion_scd30_pressure_json),
        file("sensirion-scd4x", PackageResources.sensirion_scd4x_json),
        file("sensirion-scd4x-direct", PackageResources.sensirion_scd4x_direct_json),
        file("sensirion-scd4x-pressure", PackageResources.sensirion_scd4x_pressure_json),
        file("sensirion-sgp30", PackageResources.sensirion_sgp30_json),
        file("sensirion-sgp30-direct", PackageResources.sensirion_sgp30_direct_json),
        file("sensirion-sgp40", PackageResources.sensirion_sgp40_json),
        file("sensirion-sgp40-direct", PackageResources.sensirion_sgp40_direct_json),
        file("sensirion-sht2x", PackageResources.sensirion_sht2x_json),
        file("sensirion-sht3x", PackageResources.sensirion_sht3x_json),
        file("sensirion-sht3x-direct", PackageResources.sensirion_sht3x_direct_json),
        file("sensirion-sht4x", PackageResources.sensirion_sht4x_json),
        file("sensirion-sht4x-direct", PackageResources.sensirion_sht4x_direct_json),
        file("sensirion-sps30", PackageResources.sensirion_sps30_json),
        file("sensirion-sps30-direct", PackageResources.sensirion_sps30_direct_json),
        file("sensirion-sps30-i2c", PackageResources.sensirion_sps30_i2c_json),
        file("silabs-si7021", PackageResources.silabs_si7021_json),
        file("te-htu21", PackageResources.te_htu21_json),
        file("te-htu21-direct", PackageResources.te_htu21_direct_json),
        file("ti-ads1115", PackageResources.ti_ads1115_json),
        file("ti-hdc1080", PackageResources.ti_hdc1080_json),
        file("ti-hdc1080-direct", PackageResources.ti_hdc1080_direct_json),
        file("ti-tmp102", PackageResources.ti_tmp102_json),
        file("traffic-light", PackageResources.traffic_light_json),
        file("vishay-veml7700", PackageResources.vishay_veml7700_json),
        file("winsen-mhz19b", PackageResources.winsen_mhz19b_json),
        file("winsen-mhz19b-pressure", PackageResources.winsen_mhz19b_pressure_json),
    ]

    private static func file(_ id: String, _ bytes: [UInt8]) -> ProfileFile {
        ProfileFile(path: "shipped/\(id).json", bytes: bytes)
    }
}

/// A file that may be a profile.
package struct ProfileFile: Hashable, Sendable {
    package let path: String
    /// Its bytes, or why there are none.
    package let contents: Result<[UInt8], Unreadable>

    /// Why a file cannot be read, as text.
    package struct Unreadable: Error, Hashable, Sendable {
        package let reason: String

        package init(_ reason: String) { self.reason = reason }
    }

    package init(path: String, bytes: [UInt8]) {
        (self.path, contents) = (path, .success(bytes))
    }

    package init(path: String, unreadable reason: String) {
        (self.path, contents) = (path, .failure(Unreadable(reason)))
    }
}
