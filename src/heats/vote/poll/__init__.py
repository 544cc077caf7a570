"""What there is to vote on, and who may.

originals   whether files of candidates are still what they were
candidates  a folder, a file with one per line, tables → what is shown
people      who may vote, and their secret links, of which only hashes are kept
identities  who is who where everybody may: signed, with a key beside the journal
scenario    the file, or what was said without one → a poll, with everything decided
"""
