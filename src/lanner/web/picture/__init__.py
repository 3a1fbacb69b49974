"""The live page: numbers made beside the server, and the words and figures they become."""
