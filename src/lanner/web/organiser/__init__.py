"""What organisers do with a campaign: seat judges, settle disagreements, manage, bring in and take out."""
