# Makes icc_lme4.json: ICCs of sparse tables from lme4's variance components. Run in this folder: Rscript icc_lme4.R
suppressMessages(library(lme4))
set.seed(20)
cases <- list()
for (case in 1:6) {
  spread <- c(0.3, 1, 3)[(case - 1) %% 3 + 1]
  table <- outer(rnorm(40), rnorm(5, 0, spread), "+") + matrix(rnorm(200), 40)
  table <- round(table, 4)
  table[matrix(runif(200), 40) < 0.6] <- NA
  cells <- which(!is.na(table), arr.ind = TRUE)
  data <- data.frame(item = factor(cells[, 1]), judge = factor(cells[, 2]), y = table[cells])
  quiet <- function(model) suppressWarnings(suppressMessages(model))
  strict <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10))
  parts <- function(model) { v <- as.data.frame(VarCorr(model)); setNames(v$vcov, v$grp) }
  both <- parts(quiet(lmer(y ~ 1 + (1 | item) + (1 | judge), data, control = strict)))
  fixed <- parts(quiet(lmer(y ~ judge + (1 | item), data, control = strict)))
  one <- parts(quiet(lmer(y ~ 1 + (1 | item), data, control = strict)))
  k <- nlevels(data$item) / sum(1 / table(data$item))
  share <- function(v, k) unname(v["item"] / (v["item"] + sum(v[names(v) != "item"]) / k))
  rows <- paste0("[", cells[, 1], ", ", cells[, 2], ", ", table[cells], "]", collapse = ", ")
  values <- c(share(one, 1), share(both, 1), share(fixed, 1), share(one, k), share(both, k), share(fixed, k))
  cases[[case]] <- sprintf('    {"cells": [%s],\n     "icc": [%s]}', rows, paste(format(values, digits = 8), collapse = ", "))
}
head <- sprintf('{\n  "made_by": "%s, lme4 %s; forms 1,1 2,1 3,1 1,k 2,k 3,k",\n  "cases": [\n',
                R.version.string, packageVersion("lme4"))
cat(head, paste(cases, collapse = ",\n"), "\n  ]\n}\n", sep = "", file = "icc_lme4.json")
