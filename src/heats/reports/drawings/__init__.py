"""What was found, drawn as SVG.

bracket    the rounds of a report
batches    the batches of adaptive play
strengths  the standings
interval   how sure the last heat is
"""
