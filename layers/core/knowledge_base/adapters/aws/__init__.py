"""Adapters over DynamoDB, S3 and SQS."""
