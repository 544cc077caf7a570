"""People vote on a page: a scenario → who gets what → votes in a journal → a report.

candidates  a folder, a file with one per line, tables → what is shown
people      who may vote, and their secret links, of which only hashes are kept
scenario    the file, or what was said without one → a poll, with everything decided
answers     what a form says → feedback
line        pulls that nobody has, in the order in which they are handed out
leases      which pulls are out, with whom, since when and until when
ledger      what a journal says of everybody's votes
desk        who gets which pull, for how long, and whose answer counts
reading     the journal, read again for the organiser
office      a journal and its desk in one thread: many votes, one trip to the disk
guard       what a request may do: tickets, origins, sizes, rates
showing     candidates → HTML, nothing of it trusted
tally       every vote, whether it counts, and why not
overview    what the organiser sees
site        what all pages are made with
booth       the pages of voters
organiser   the pages of the organiser
app         all pages as one application
server      the pages, served
"""
