"""What is known to be faultless of a ruleset's files, kept between runs so that a check looks only at what is new.

Enters: a folder. Leaves: findings equal to those of a check that remembers nothing. What is kept are digests and names,
and only of what had no fault: what has a finding is worked out anew, so nothing kept has a place or a message.
"""
