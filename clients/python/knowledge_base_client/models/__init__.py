"""The messages of the service's contracts."""
