"""All comparisons of a run → one posterior: what kind of world it is, how strong every arm is, and which is the best.

Everything that decides or reports reads it: whom adaptive play compares next, its winner, standings, early stopping.

settings       every constant, with its unit and reason
data           comparisons → the sets that they were of
tallies        how often arms were chosen → how likely that is of the best arm
evidence       sets → tallies of first places, or sums of rewards
noise          rewards → their noise, and how likely they are once the means are explained
contextual     results depend on who is compared with whom → scores of arms, and how likely the data are
plackett_luce  choices → the most likely strengths
matrices       precision matrices → determinants and covariances
fits           strengths under one prior, how precisely they are known, and how likely the data are
effects        rewards → effects of arms
best           strengths that are jointly normal → the chance of each arm to be the best
consistent     every arm has one strength → fits under several priors
posterior      both kinds of world → the chance of each arm to be the best
strengths      the strengths of one run, with intervals, for a report
"""
