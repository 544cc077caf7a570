"""What a run found, for people and programs.

winner     the winner with all its values
result     a machine, its journal and its race → one result, as text and as JSON
labels     names → labels that fit a drawing or a line; parameters → columns
bracket    the rounds of a report → a drawing
strengths  the standings of a report → drawings
page       a result → one HTML file
"""
