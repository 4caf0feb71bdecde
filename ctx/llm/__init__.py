"""How servers and other slow work are asked; only ``ctx.llm.http`` needs urllib3."""
