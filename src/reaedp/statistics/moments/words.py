"""Words that files of means, covariances and coefficients contain, and what people are told about them."""

#: About whom a number is told.
THESE, POPULATION = "these rows", "population"
INTERCEPT = "(intercept)"
#: What people are told where nothing can be told.
TOO_FEW = "there are too few rows for this ε and number of predictors: no coefficient can be estimated"
