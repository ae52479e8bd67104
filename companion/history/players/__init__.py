"""Player pages, and merging and erasing players."""
