"""Success rates in the paper's synthetic worlds (Appendix G), and the budgets its theorems ask for (Appendix F).

grid        settings × problems × algorithms → cells; one cell → how often the best arm was found
cells       many cells → results, kept in cells.csv
figures     results → success over budget
sufficient  printed schedules → budgets that suffice, over n, and their figure
checks      results → whether a claim holds
claims      every sentence that claims something, with its check
page        claims → a page of verdicts
"""
