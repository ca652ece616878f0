"""How the ports are met, one package per technology."""
