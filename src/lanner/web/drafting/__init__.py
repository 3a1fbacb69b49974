"""Making a campaign in the browser: texts, protocol, judges, design, plan, preview."""
