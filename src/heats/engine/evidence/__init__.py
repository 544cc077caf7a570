"""What was told, kept and added up.

told     all that a run was told, stage by stage
pulls    all that was told → a table of all pulls
records  what arms did in earlier rounds, and what that decides
"""
