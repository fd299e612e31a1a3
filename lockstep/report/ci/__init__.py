"""What a run says to the machinery of continuous integration: SARIF, annotations, a summary."""
