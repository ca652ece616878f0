"""Rules for alarms and the dashboard."""

from __future__ import annotations

import json

import pytest

from knowledge_base.domain.deadlines import QUESTION
from knowledge_base.ports.queues import Queue
from tests.template.stack import NAME, Resource, on_a_laptop, on_aws, with_everything

ALARM, FUNCTION = "AWS::CloudWatch::Alarm", "AWS::Lambda::Function"


def queue_name(queue: Queue, *, dead: bool = False) -> str:
    return f"{NAME}-{queue}" + ("-dead" if dead else "") + (".fifo" if queue is Queue.PUBLISH else "")


def watched(metric: str) -> dict[str, Resource]:
    """Return the alarm for each name whose `metric` some alarm looks at."""
    found: dict[str, Resource] = {}
    for alarm in on_aws().of_type(ALARM):
        for query in alarm.properties.get("Metrics", []):
            about = query.get("MetricStat", {}).get("Metric", {})
            if about.get("MetricName") == metric:
                found[about["Dimensions"][0]["Value"]] = alarm
    return found


@pytest.mark.parametrize("queue", Queue)
def test_a_dead_letter_of_any_queue_raises_an_alarm_although_it_is_taken_away_at_once(queue: Queue):
    alarm = watched("NumberOfMessagesReceived")[queue_name(queue, dead=True)]
    assert (alarm.properties["Threshold"], alarm.properties["ComparisonOperator"]) == (0, "GreaterThanThreshold")


@pytest.mark.parametrize("queue", Queue)
def test_a_dead_letter_that_nobody_can_handle_raises_an_alarm(queue: Queue):
    alarm = watched("ApproximateAgeOfOldestMessage")[queue_name(queue, dead=True)]
    assert alarm.logical_id.startswith("StuckDead")


@pytest.mark.parametrize("queue", Queue)
def test_a_queue_that_nobody_reads_raises_an_alarm(queue: Queue):
    assert queue_name(queue) in watched("ApproximateAgeOfOldestMessage")


@pytest.mark.parametrize("queue", [Queue.QUESTION, Queue.SEARCH])
def test_waiting_questions_raise_an_alarm_long_before_their_deadline(queue: Queue):
    alarm = watched("ApproximateAgeOfOldestMessage")[queue_name(queue)]
    assert alarm.properties["Threshold"] < QUESTION / 2


def test_a_long_answer_is_no_reason_for_an_alarm():
    alarm = watched("ApproximateAgeOfOldestMessage")[queue_name(Queue.ANSWER)]
    assert alarm.properties["Threshold"] > QUESTION


@pytest.mark.parametrize("function", on_aws().of_type(FUNCTION), ids=str)
def test_a_function_that_crashes_raises_an_alarm(function: Resource):
    assert function.properties["FunctionName"] in watched("Errors")


def test_functions_that_no_queue_feeds_raise_an_alarm_when_they_are_throttled():
    fed = {m.properties["FunctionName"] for m in on_aws().of_type("AWS::Lambda::EventSourceMapping")}
    names = {function.properties["FunctionName"] for function in on_aws().of_type(FUNCTION)}
    assert set(watched("Throttles")) == names - fed


def test_an_api_that_answers_with_server_errors_raises_an_alarm():
    (alarm,) = (a for a in on_aws().of_type(ALARM) if a.properties.get("MetricName") == "5XXError")
    dimensions = {item["Name"]: item["Value"] for item in alarm.properties["Dimensions"]}
    (api,) = on_aws().of_type("AWS::ApiGateway::RestApi")
    (stage,) = on_aws().of_type("AWS::ApiGateway::Stage")
    assert dimensions == {"ApiName": api.properties["Name"], "Stage": stage.properties["StageName"]}


@pytest.mark.parametrize("alarm", on_aws().of_type(ALARM), ids=str)
def test_an_alarm_says_what_it_means_goes_to_the_topic_and_is_silent_when_nothing_happens(alarm: Resource):
    assert alarm.properties["AlarmDescription"]
    assert alarm.properties["AlarmActions"] == ["AlarmTopic"]
    assert alarm.properties["TreatMissingData"] == "notBreaching"
    assert len(alarm.properties.get("Metrics", [])) <= 11, "an expression and ten metrics"


def test_alarms_are_mailed_to_who_wants_them():
    assert on_aws().of_type("AWS::SNS::Subscription") == []
    (mail,) = with_everything().of_type("AWS::SNS::Subscription")
    assert (mail.properties["Protocol"], mail.properties["Endpoint"]) == ("email", "ops@a.example")


def test_the_dashboard_shows_every_queue_and_every_function():
    (dashboard,) = on_aws().of_type("AWS::CloudWatch::Dashboard")
    body = json.dumps(json.loads(dashboard.properties["DashboardBody"]))
    names = [queue_name(queue, dead=dead) for queue in Queue for dead in (False, True)]
    names += [function.properties["FunctionName"] for function in on_aws().of_type(FUNCTION)]
    assert [name for name in names if f'"{name}"' not in body] == []


def test_a_laptop_has_no_alarms():
    assert on_a_laptop().of_type(ALARM) == []
