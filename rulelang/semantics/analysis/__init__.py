"""What is known of the checked tree: calls, writes, ranges, rows, what is never empty."""
