"""One folder a Lambda function, wiring only: parse the event, call one service, return."""
