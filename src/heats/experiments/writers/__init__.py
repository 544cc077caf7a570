"""What came of the experiments → files: figures, tables, pages.

synthetic  success rates, sufficient budgets, Tables 1 to 4
saps       races on the table of runs, and that table
beyond     the planned strategy beside the paper's algorithms, and adaptive play beside planned
standings  how often the chance stated for the winner is right
sure       how often runs that stopped early are right
times      how often times of races find the smallest mean
"""
