"""The uran contract: batch import by URL, webhooks, questions streamed as SSE."""
