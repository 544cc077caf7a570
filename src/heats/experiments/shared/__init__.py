"""What all experiments use.

jobs       functions and their arguments → results, on all cores
csv_files  rows → CSV → rows, or the line that is not one
kept       results → CSV → results, so that a command goes on where it stopped
verdicts   shares and other numbers → whether a claim holds beyond chance
markdown   values → rows of tables
drawing    how figures look, and how they are saved
"""
