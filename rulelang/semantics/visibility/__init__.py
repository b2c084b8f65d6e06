"""Who may know what, and that nothing is asked or shown of what is hidden."""
