from minikafka.admin.client import AdminError
from minikafka.harness.clients import offsets_topic
from minikafka.harness.clients.offsets_topic import promise_commits


def test_commits_are_made_to_need_as_many_replicas(monkeypatch):
    asked = []
    monkeypatch.setattr(offsets_topic.AdminClient, "ask", lambda _, request: asked.append(request))
    monkeypatch.setattr(offsets_topic, "alter_configs", lambda *args: asked.append(args[1:]))
    assert promise_commits("127.0.0.1:1", "g", 2) == ""
    coordinator, (resource, wanted, _) = asked
    assert coordinator.coordinator_keys == ["g"]
    assert (resource.name, wanted) == ("__consumer_offsets", {"min.insync.replicas": "2"})


def test_a_refused_change_of_min_isr_is_reported(monkeypatch):
    def refuse(_, _request):
        raise AdminError("not allowed")

    monkeypatch.setattr(offsets_topic, "_OFFSETS_PATIENCE_S", 0)
    monkeypatch.setattr(offsets_topic.AdminClient, "ask", refuse)
    assert promise_commits("127.0.0.1:1", "g", 2) == "not allowed"
