from minikafka.harness import chart

FAULT = {"kind": "kill", "node": 2, "done_at_ms": 3_000, "healed_at_ms": 5_000, "problem": ""}


def partition(at_ms, number, leader, isr):
    return {
        "at_ms": at_ms, "event": "partition", "partition": number, "leader": leader, "isr": isr
    }  # fmt: skip


def progress(at_ms, batch, rows, took_ms):
    values = {
        "batchId": batch,
        "numInputRows": rows,
        "durationMs": {"triggerExecution": took_ms},
        "sources": [],
    }
    return {"at_ms": at_ms, "event": "progress", "progress": values}


def lanes(events, faults=()):
    run = {"started_at_ms": 0, "ended_at_ms": 60_000, "writing_from_ms": 1_000, "topic": "t"}
    spec = chart.build({"run": run, "faults": list(faults)}, events, [])
    return {lane["layer"][1]["name"]: lane for lane in spec["vconcat"]}


def rows(lane):
    return lane["layer"][1]["data"]["values"]


def test_leaders_and_isr_are_spans_that_end_where_the_next_begins():
    events = [
        partition(500, 0, 1, [1, 2]),
        partition(4_000, 0, None, []),
        partition(6_000, 0, 2, [2]),
        partition(9_000, 1, 2, [1, 2]),
    ]
    spans = [
        (row["partition"], row["from"], row["to"], row["leader"], row["isr"])
        for row in rows(lanes(events)["leader"])
    ]
    assert spans == [
        (0, 0.0, 3.0, "node 1", "1 2"),
        (0, 3.0, 5.0, "none", "empty"),
        (0, 5.0, 8.0, "node 2", "2"),
    ]


def test_every_lane_is_shaded_while_a_node_was_away():
    drawn = lanes([partition(500, 0, 1, [1])], [FAULT, {**FAULT, "problem": "not done: x"}])
    assert len(drawn) == 6
    for lane in drawn.values():
        [away] = lane["layer"][0]["data"]["values"]
        assert (away["from"], away["to"]) == (2.0, 4.0)
        assert away["fault"] == "kill (node 2)"


def test_the_fullest_isr_is_green_and_every_smaller_one_has_its_own_place():
    for members in ([1], [1, 2], [1, 2, 3], [1, 2, 3, 4, 5]):
        drawn = lanes([partition(500, 0, 1, members), partition(9_000, 1, 1, [])])
        scale = drawn["ISR"]["layer"][1]["encoding"]["color"]["scale"]
        assert scale["domain"] == list(range(len(members) + 1))
        assert len(scale["range"]) == len(scale["domain"])
        assert scale["range"][-1] == "#5fb89a"


def test_batches_begin_where_their_trigger_began():
    [batch] = rows(lanes([progress(7_000, 3, 40, 1_500)])["batches"])
    assert batch == {"from": 4.5, "to": 6.0, "rows": 40, "batch": 3, "seconds": 1.5}


def test_what_was_acknowledged_and_read_adds_up_over_producers_and_batches():
    def produced(at_ms, pid, acked):
        return {"at_ms": at_ms, "event": "produced", "pid": pid, "acked": acked}

    events = [progress(4_000, 0, 5, 1), produced(2_000, 1, 10), produced(3_000, 2, 1)]
    events += [progress(5_000, 1, 6, 1)]
    totals = [(row["at"], row["what"], row["records"]) for row in rows(lanes(events)["so far"])]
    assert totals == [
        (1.0, "acknowledged", 10),
        (2.0, "acknowledged", 11),
        (3.0, "read by Spark", 5),
        (4.0, "read by Spark", 11),
    ]


def test_a_run_without_any_event_still_has_a_chart():
    assert all(lane["layer"][1]["data"]["values"] == [] for lane in lanes([]).values())
