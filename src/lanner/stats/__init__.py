"""From judgements to numbers: pure functions of a tidy table, each returning a Result with its interval and signature.

- Data: `frame` builds the tidy table and the wide one, `ratings` selects answers.
- Engine: `resample` draws units and makes intervals and p, `estimate` turns a statistic into a Result.
- Agreement: `agreement` (all coefficients, the overview, and what a number means in words), `coefficients`, `icc`,
  `spans`, `diagnosis`.
- Systems: `scores`, `ranking`, `facets` (judges' severity taken out), `preference`, `power`.
- Relations: `association`, `regression`, `mixed`.
- Scorers and models: `metaeval`, `metric_accuracy`, `models`.
- Campaigns: `effort`, `context`, `questionnaire`.
- Adaptive campaigns: `sampling`, `goals`, `allocation`, `savings`.

Nothing is imported here, so that each part loads only what it needs.
"""
