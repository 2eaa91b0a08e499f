"""Speed, measured beside rivals in the same run: `python -m bench [name...]`."""
