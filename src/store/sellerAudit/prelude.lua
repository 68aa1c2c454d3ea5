-- Functions that `run_audited` calls, by the name that FCALL takes: those whose declaration says `audited`.
local audited_functions = {}
