"""What was told → how good every arm looks.

gains         what a pull says of its arms if company decides
heard         all that many runs were told so far
sets          pulls → the sets of arms that they were of
rewards       rewards → sums set by set, and how likely what is left of them is
choices       pulls → choices of the first; and the strengths that explain them
company       what pulls say if company decides: every set of arms has strengths of its own
determinants  matrices of arms that are tied together → their determinants
lasting       what pulls say if strengths last: an arm has the same in all company
pairs         the same of rankings: who was ahead of whom
effects       the same of rewards: effects of arms, the luck of the pull, and noise
meetings      rewards → whether the best is behind another whenever the two meet
outlook       company or lasting strengths, weighed by what was told
"""
