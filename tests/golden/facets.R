# Makes facets.json: crossed mixed models from lme4 and ordinal. Run in this folder: Rscript facets.R
suppressMessages({library(lme4); library(ordinal)})
set.seed(7)
cases <- list()
for (case in 1:3) {
  d <- c(15, 20, 24)[case]; j <- c(4, 5, 6)[case]; s <- 3
  data <- expand.grid(document = 1:d, judge = 1:j, system = 1:s)
  effect <- function(n, sd) rnorm(n, 0, sd)
  eta <- c(0, 0.4, 0.9)[data$system] + effect(d, 0.8)[data$document] + effect(j, 0.7)[data$judge] +
    matrix(effect(d * s, 0.5), d)[cbind(data$document, data$system)] +
    matrix(effect(j * s, 0.4), j)[cbind(data$judge, data$system)]
  data$score <- round(eta + rnorm(nrow(data)), 3)
  latent <- 1.6 * eta + rlogis(nrow(data))
  data$step <- findInterval(latent, c(-1.5, 0, 1.2, 2.6)) + 1
  if (case > 1) data <- data[runif(nrow(data)) > 0.4, ]
  for (name in c("document", "judge", "system")) data[[name]] <- factor(data[[name]])
  data$ds <- interaction(data$document, data$system, drop = TRUE)
  data$js <- interaction(data$judge, data$system, drop = TRUE)
  strict <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10))
  quiet <- function(model) suppressWarnings(suppressMessages(model))
  linear <- quiet(lmer(score ~ 0 + system + (1 | document) + (1 | judge) + (1 | ds) + (1 | js), data, control = strict))
  v <- as.data.frame(VarCorr(linear)); v <- setNames(v$vcov, v$grp)
  data$step <- factor(data$step, ordered = TRUE)
  steps <- quiet(clmm(step ~ system + (1 | document) + (1 | judge) + (1 | ds) + (1 | js), data))
  numbers <- function(x) paste(format(unname(x), digits = 8), collapse = ", ")
  rows <- paste0("[", data$document, ", ", data$judge, ", ", data$system, ", ", data$score, ", ", data$step, "]",
                 collapse = ", ")
  severity <- ranef(linear)$judge[, 1]
  cases[[case]] <- sprintf(
    paste0('    {"rows": [%s],\n     "means": [%s],\n     "covariance": [%s],\n     "variances": [%s],\n',
           '     "severity": [%s],\n     "thresholds": [%s],\n     "beta": [%s],\n     "beta_error": [%s],\n',
           '     "deviations": [%s],\n     "log_likelihood": %s}'),
    rows, numbers(fixef(linear)), numbers(as.vector(as.matrix(vcov(linear)))),
    numbers(c(v["document"], v["judge"], v["ds"], v["js"], v["Residual"])), numbers(severity),
    numbers(steps$alpha), numbers(steps$beta), numbers(sqrt(diag(vcov(steps)))[names(steps$beta)]),
    numbers(unlist(lapply(VarCorr(steps)[c("document", "judge", "ds", "js")], sqrt))), format(steps$logLik, digits = 9))
}
head <- sprintf('{\n  "made_by": "%s, lme4 %s, ordinal %s",\n  "cases": [\n', R.version.string,
                packageVersion("lme4"), packageVersion("ordinal"))
cat(head, paste(cases, collapse = ",\n"), "\n  ]\n}\n", sep = "", file = "facets.json")
