"""Who gets which pull, and whose answer counts.

line      pulls that nobody has, in the order in which they are handed out
leases    which pulls are out, with whom, since when and until when
matching  who could answer which of the sets that are owed
pages     what is open on whose page, for a desk that comes after
ledger    what a journal says of everybody's votes
desk      who gets which pull, for how long, and whose answer counts
reading   the journal, read again for the organiser
office    a journal and its desk in one thread: many votes, one trip to the disk
"""
