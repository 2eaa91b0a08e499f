"""Random requests: against the witnesses, against a model, and against nothing but sense."""
