"""What a server needs beside its pages: health, logs, counts, limits, backups, news to others."""
