"""The commands as they are declared: names, options and help, by the headings of `lanner --help`.

What is imported here is light, so that help and mistakes are answered at once. What a command does is in a module of
`lanner.cli`, which is imported when the command runs.
"""
