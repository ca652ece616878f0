"""Models behind OpenAI-compatible endpoints, over the openai SDK."""
