"""What is drawn on paper."""
