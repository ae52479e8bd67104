"""A score pad, referee and rules companion for physical card games."""
