"""Everything before the first pull: a problem → the rounds of its tournament, priced, and how likely they succeed.

rules      a strategy, by name or as a function → how many arms of a heat stay
schedule   candidates and a rule → rounds; rounds and a budget → pulls per heat
plan       a tournament as data: checked, printed, to JSON and back; what records mean
survival   one heat → how likely the best arm is dropped from it (SciPy)
model      all rounds of a plan → how likely the best arm survives each of them
optimise   the model and a budget → the rounds that are survived most likely: the planned strategy
voters     how many may vote → no heat is pulled more often, and what it takes of each
request    arguments → what is asked for, checked
fixed      a fixed rule and a budget → its rounds
modelled   the model, asked: the rounds that planned takes, and chances that no plan exceeds
needed     a wanted chance → the smallest budget whose plan reaches it
build      arguments → a plan; a plan → its chances
explain    a plan → text: its rounds, its chances, and the alternatives
"""
