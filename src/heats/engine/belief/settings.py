"""Every constant of the model, with its unit and why it has that value."""

from __future__ import annotations

# Which kind of world

CONSISTENT_ODDS = 10.0  # prior odds of a consistent world to a contextual one: most choices and rewards are consistent

# A contextual world

SHARES_SHAPE = 0.5  # of the Dirichlet prior of the shares of wins in a set without the best arm (Jeffreys)
WIN_CHANCES = (0.55, 0.65, 0.75, 0.85, 0.95)  # with which the best arm may win a comparison; equally likely
LEAD_RATIOS = (0.1, 0.3, 0.8, 2.0)  # of the best arm's typical lead to that of other winners; equally likely
LEAST_LEAD_SHARE = 0.1  # of the typical lead observed: the least typical lead after its noise is subtracted
DECOY_CHANCE = 2 / 3  # prior, of a decoy: at ½, pairs told as winners were up to .2 too sure beside one
DECOY_CANDIDATES = 5  # arms that are checked exactly for a decoy beside them; for others it is taken to be anybody

# Noise of rewards

LEAST_NOISE = 1e-3  # of the standard deviation of all rewards
VARIANCE_RATIOS = (0.03, 0.3, 3.0, 100.0, 1e4, 1e6)  # of arms (or sets) to noise, tried

# A consistent world

PRIOR_PAIRS = (0.75, 3.0, 12.0, 50.0)  # ν, tried: log-strengths are 2.3, .89, .42 or .2 apart
FARTHEST_OUTLIER = 2.0  # log-strength, from the mode: an arm that always won may be arbitrarily strong
FURTHER_APART = 4.0  # times as far apart as the field may an outlier be
RANKING_PAIRS = 3.0  # ν of the fit to who ranked ahead of whom

# Fits

LONGEST_LEAP = 16.0  # steps of the fit that are taken at once
FARTHEST_LEAP = 2.0  # log-strength: further they overshoot
LARGEST_STRENGTH = 100.0  # log-strength: beyond there is overflow
MOST_TOGETHER = 300  # arms whose covariance is taken into account; the others are taken as independent
MOST_ENTRIES = 200_000  # of the matrices of runs that are decomposed together: they fit into a cache
MOST_APART = 24  # places of a ranking: pairs further apart, and later places, add little, and large heats have many
MOST_PAIRS = 10_000_000  # of a run

# The chance to be the best

LEADING_ARMS = 10  # whose correlations with all rivals count
RIVAL_ARMS = 30  # whose correlations with the leading arms count
LEAST_WEIGHT = 0.01  # of a prior or a kind of world: below it is left out
KNOWN_NOISE = 100.0  # degrees of freedom from which the noise of rewards is taken as known
NOISE_POINTS = 3  # quantiles of the noise of rewards that is integrated over
LEAST_DOUBT = 1e-3  # of a contextual world: with less the consistent one is left out
DIGITS = 6  # behind the point, of a chance that decides

# Intervals

INTERVAL = 0.95
