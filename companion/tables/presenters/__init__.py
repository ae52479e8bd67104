"""Context for the templates of the table pages."""
