"""What judges meet: their work, the judging page as data, and the way of an answer to the disk."""
