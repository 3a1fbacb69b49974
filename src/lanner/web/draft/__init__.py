"""Making a campaign in the browser: texts, what is asked, of whom and how, and a look at it as a judge."""
