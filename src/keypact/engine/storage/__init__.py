"""Where the engine keeps its bytes: one SQLite file, group commit, rows in key order."""
