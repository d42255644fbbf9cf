import minikafka
from minikafka.commands import sim_trace


def test_outside_of_git_the_version_stands_for_the_commit(tmp_path, monkeypatch):
    version = f"minikafka {minikafka.__version__}"
    assert sim_trace.build().startswith(version)
    monkeypatch.setattr(sim_trace, "_ROOT", tmp_path)
    assert sim_trace.build() == version
    (tmp_path / ".git").mkdir()
    assert sim_trace.build() == version
