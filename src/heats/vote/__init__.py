"""People vote on a page: a scenario → who gets what → votes in a journal → a report.

poll  what there is to vote on, and who may
desk  who gets which pull, and whose answer counts; nothing here knows of pages
site  the pages, for voters and for the organiser
"""
