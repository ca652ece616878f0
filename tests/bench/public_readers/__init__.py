"""Public readers of documents, each as the function that its manual shows for plain text; ours beside them.

Libraries are imported in the function that makes a reader: each lives in a process of its own, and those of others
in an environment of their own.
"""
