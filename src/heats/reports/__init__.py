"""What a run found, for people and programs.

result   a machine, its journal and its race → one result, as text and as JSON
bracket  the rounds of a report → a drawing
page     a result → one HTML file
"""
