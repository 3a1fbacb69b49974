"""What counts and which statistic suits: decided here once, for pages, commands, reports, programs and notebooks."""
