"""From judgements to numbers: pure functions of a tidy table, each returning a Result with its interval and signature.

- Data: `frame` builds the tidy table, `wide` turns it into one row per judge and item, `ratings` selects answers.
- Engine: `resample` draws units, `outcome` makes intervals and p, `estimate` turns a statistic into a Result;
  `crossed` widens scores and differences to judges in general.
- Agreement: `agreement` (all coefficients and the overview), `coefficients`, `alpha`, `icc`, `spans`, `diagnosis`.
- Systems: `scores`, `ranking`, `facets` (judges' severity taken out), `preference`, `bradley_terry`, `power`.
- Relations: `association`, `concordance`, `regression`, `leastsquares`, `mixed`, `reml`, `ordinal`.
- Scorers and models: `metaeval`, `metric_accuracy`, `metric_tests`, `models`, `prediction_powered`,
  `replacement`.
- Campaigns: `effort`, `context`, `questionnaire`; `reading` says what a number means in words.

Nothing is imported here, so that each part loads only what it needs.
"""
