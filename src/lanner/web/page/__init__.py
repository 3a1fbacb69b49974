"""How any page is made: templates, words in the reader's language, files, headers, errors."""
