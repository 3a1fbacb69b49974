"""The organiser's pages: campaigns as they run, their judges, disagreements, settings, files, accounts."""
