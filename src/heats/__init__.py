"""Find the best of n candidates when you can only afford B trials, each comparing up to k of them."""
from heats.engine.plan import Plan, Round, plan
from heats.engine.tournament import Tournament
from heats.engine.statistics import *
from heats.engine.feedback import Winner, Ranking, BestWorst, Race
