"""Files of the field → worlds. One file per format.

opening    a path → text or arrays: only regular files, none larger than allowed, damaged ones refused
worlds     tables that were read → worlds
aslib      ASlib scenarios: folders with description.txt and algorithm_runs.arff
preflib    PrefLib orders: .soc, .soi, .toc, .toi
npz_table  NumPy archives: .npz
csv_table  tables as text: .csv
dispatch   any of these, by what its name says: ``heats.environments.read``
"""
