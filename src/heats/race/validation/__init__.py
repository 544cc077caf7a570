"""Winners on instances that their race never saw. Winner and default run on the same ones, one after the other.

pairs     a scenario, two candidates and an instance → an order; an order → what the two runs came to
record    pairs ↔ a file beside the journal, which goes on where it was cut off
measures  pairs → who solved what, how many times as fast, with intervals
run       a race that is over → its winner validated, pair by pair
"""

from heats.race.validation.measures import measure
from heats.race.validation.record import find_record, read_record
from heats.race.validation.run import Request, find_open_request, make_request, validate

__all__ = ["Request", "find_open_request", "find_record", "make_request", "measure", "read_record", "validate"]
