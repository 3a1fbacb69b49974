"""From Results to documents: one HTML file that opens anywhere, LaTeX tables, CSV, figures."""
