"""`python -m knowledge_base_cli` is `kb`."""

from knowledge_base_cli.app import main

if __name__ == "__main__":
    main()
