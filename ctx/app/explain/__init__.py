"""Why a packet includes what it includes, and at which budget that changes."""
