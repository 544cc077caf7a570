"""Programs, files and signals that mean harm, or might as well: heats keeps its word, or says in a sentence why not."""
