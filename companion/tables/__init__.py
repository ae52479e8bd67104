"""Tables and their logs: new tables, pad, referee and calculator."""
