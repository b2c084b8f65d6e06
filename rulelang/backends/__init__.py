"""Ways to run the intermediate representation. Enters: a `Program`. Leaves: machines that play it."""
