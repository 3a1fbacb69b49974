"""The live numbers of a campaign: how far it is, whether its numbers can be trusted, and who differs from whom."""
