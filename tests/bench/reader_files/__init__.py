"""Files of every kind, made from seeds, whose words are known.

`python -m tests.bench.reader_files FOLDER [PATTERN]` writes them: a folder `files/<set>` for each file set
whose name matches, and beside it what its files say (`known/<set>`), what is but
decoration (`unwanted/<set>`), and what they hold beside words (`facets/<set>`).
"""
