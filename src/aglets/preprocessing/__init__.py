"""What a model expects of graphs: attributes in its units, covariates, starting vectors."""
