"""The game itself, pure: no I/O, clock, threads or global randomness.

feedback      what one pull says → an observation per arm
statistics    observations of an arm → a score: mean, median, win_rate, …
scoring       pulls of heats → scores, whatever the feedback, verdicts missing or not
fit           all pulls so far → a strength per arm
records       what arms did in earlier rounds, and what that decides
specs         an algorithm as data
evidence      all that a run was told, stage by stage
pulls         all that was told → a table of all pulls
standings     all that was told → strengths, chances, one row per arm
game          what an algorithm is, for many repetitions at once
early         when the pulls left of a heat can no longer change who stays
elimination   a plan, played: deal → score → record → rank → keep
sets          random sets of arms
report        what was found, and how sure that is
answerers     who answered which pull, and whose answers are void
stages        stages under way and over, and what their pulls said
queries       pulls as they are handed out, and what they said, read back
asking        a game of one repetition, asked and told
machine       the one face of all algorithms; answers taken back, rounds closed, somebody's answers void
tournament    the machine that plays a plan
baselines     RoundRobin and SuccessiveHalving
adaptive      every batch takes the arms that look best
kinds         all machines, known by their specs
"""
