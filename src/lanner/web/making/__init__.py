"""What takes computing: made in a process beside the server, so that it holds up nobody and loads nothing there."""
