"""What the cases of tests/interop are written with: the program under test, its peers, users, ports, terminals."""
