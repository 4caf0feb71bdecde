"""``ctx serve``: the context directory as pages of a browser on this machine."""
