"""What the tables say when they are added up: outcomes copied from the logs, ratings, numbers and pictures."""
