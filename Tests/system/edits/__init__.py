"""What scripts/check edits changes, by whom, and what must be there after."""
