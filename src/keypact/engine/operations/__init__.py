"""One file an operation. Each has ``prepare(engine, request)``, which checks the request
and returns the job that a connection runs."""
