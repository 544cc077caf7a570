"""What a run found, for people and programs.

winner      the winner with all its values
leaders     who came furthest, with all their values
top         how good a winner is among all that its space holds
validation  the winner of a race on instances it never saw
judges      what judges did, and whether who is shown first has an advantage
result      a machine, its journal and its race → one result, as text and as JSON
places      files to write results to
frames      standings and pulls → tables with names and parameters, for frames and CSV
labels      names → labels that fit a drawing or a line; parameters → columns
drawings    rounds, batches, standings and the last heat → drawings
pieces      sentences, tables and candidates → HTML
page        a result → one HTML file
notebook    a result → what a notebook shows
"""
