"""What the pages of a table show, computed."""
