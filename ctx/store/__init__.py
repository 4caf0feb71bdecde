"""What can be rebuilt: parsed files, packets to repeat, and what sessions were told."""
