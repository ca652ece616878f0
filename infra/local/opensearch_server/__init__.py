"""The parts of a local OpenSearch server: what it is put together from, whose rights it has, where it writes."""
