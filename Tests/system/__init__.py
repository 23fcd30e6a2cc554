"""Checks that start processes: `scripts/check` lists and runs them.

`checks/` holds one module for each check, named as the check; the first line of its docstring is its line
in the list. The modules beside this one are what the checks share (`interop_*` are clients that another Python runs):

  check       what a check works with: its folder, the programs, what was wrong
  station     a simulated part, a running roostd, a connection to its control socket
  watch       the light and the sensor's trace, compared while a station runs
  strangers   devices that are no sensor, and a station whose adapters are a file
  proxies     nginx and Caddy with the configurations of the guide
  standin     stand-ins for the kernel, built and put into a program
  i2c         I²C buses of such a stand-in below a roostd
  card        a file system that can be filled and broken
  systemd     a stand-in for systemd, and threads that stand still
  scratch     a scratch copy of the sources, for mutants
  libgpiod    libgpiod 2.x, built once
  roost_lab   checks that are one command of roost-lab
  main        the command line
"""
