"""One set of figures for page, report and notebook, and the way numbers are printed in and around them."""
