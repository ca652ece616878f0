"""Reading a file in a process apart, with bounded time and memory."""
