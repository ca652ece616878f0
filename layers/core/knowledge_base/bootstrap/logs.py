"""Logs as JSON lines with ids, from our own code and from the modules of the package alike."""

from __future__ import annotations

import logging
from functools import cache

from aws_lambda_powertools import Logger
from aws_lambda_powertools.logging.utils import copy_config_to_registered_loggers

PACKAGE = "knowledge_base"


@cache
def function_logger(name: str) -> Logger:
    """Return the logger of a function; what the package's modules log appears in the same form."""
    logger = Logger(service=name)
    logging.getLogger(PACKAGE)
    copy_config_to_registered_loggers(logger, include={PACKAGE})
    return logger
