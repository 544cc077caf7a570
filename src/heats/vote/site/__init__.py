"""The pages, for voters and for the organiser.

guard      what a request may do: tickets, origins, sizes, rates
answers    what a form says → feedback
showing    candidates → HTML, nothing of it trusted
tally      every vote, whether it counts, and why not
overview   what the organiser sees
site       what all pages are made with
booth      the pages of voters
organiser  the pages of the organiser
app        all pages as one application
server     the pages, served
"""
