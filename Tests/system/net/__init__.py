"""The net under the words of the programs: what a person or a program reads from them, kept beside the code.

`scripts/check net` asks every question again and compares the answer with the file of that question in goldens/:

  help/      the text of `--help` of each command of each program
  store/     what a command or an address says of a planted store, of which every digit is known
  live/      what a command says of a running station: its keys, their types, and the words of its enumerations
  get/       each GET of roost-web before that station: status and headers for an owner, a viewer and a stranger, its keys
             `found` in a name: a station that detects what is plugged in
  stream/    each item of server-sent events and of the followers of the command line
  lives/     the hash of some simulated lives

A line of JSON is `path: value` or `path: type`; see facts.py. A key that gets another name on purpose gets a row in
renamed.md, and the goldens stay as they are: what the row does not say must not have changed. `--update` writes the goldens anew.
"""
