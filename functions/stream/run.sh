#!/bin/bash
# Started by the Lambda Web Adapter (AWS_LAMBDA_EXEC_WRAPPER); AWS_LWA_PORT is where it looks for the application.
export PYTHONPATH="${LAMBDA_TASK_ROOT}:/opt/python:${PYTHONPATH:-}"
exec python -m uvicorn app:app --host 127.0.0.1 --port "${AWS_LWA_PORT:-8080}" --no-access-log --log-level warning
