"""The JSON Schemas of the messages that other systems may send or read, made from the code."""
