"""A leader's view of one follower. Source: `Replica`, `ReplicaState`."""

from dataclasses import dataclass

from minikafka.log.segment.reads import UNKNOWN_OFFSET


@dataclass(slots=True, eq=False, repr=False)
class ReplicaState:
    """One follower's progress, derived from its fetches.

    `log_end_offset` is -1 until it fetches from this leader. `broker_epoch` is that of its last
    fetch: None while there was none, -1 if the fetch had no epoch. `kept_pace_ms` is a time at
    which the leader had no more than the follower has now, or None.
    """

    broker_id: int
    log_end_offset: int = UNKNOWN_OFFSET
    log_start_offset: int = UNKNOWN_OFFSET
    last_fetch_leader_end_offset: int = 0
    last_fetch_ms: int = 0
    last_caught_up_ms: int = 0
    broker_epoch: int | None = None
    kept_pace_ms: int | None = None
    _goal_offset: int = UNKNOWN_OFFSET
    """The leader's log end offset at `_goal_ms`, which the follower has not reached."""
    _goal_ms: int | None = None

    def fetched(
        self,
        *,
        fetch_offset: int,
        log_start_offset: int,
        leader_end_offset: int,
        now_ms: int,
        broker_epoch: int,
    ) -> None:
        """Note a valid fetch at `fetch_offset`: the follower has everything below it."""
        if fetch_offset >= leader_end_offset:
            self.last_caught_up_ms = max(self.last_caught_up_ms, now_ms)
        elif fetch_offset >= self.last_fetch_leader_end_offset:
            # It has reached the leader's log end at its previous fetch: it was caught up then.
            self.last_caught_up_ms = max(self.last_caught_up_ms, self.last_fetch_ms)
        self._keep_pace(fetch_offset, leader_end_offset, now_ms)
        # Even if it went back: a follower that truncated has fewer records.
        self.log_end_offset = fetch_offset
        self.log_start_offset = log_start_offset
        self.last_fetch_leader_end_offset = max(
            self.last_fetch_leader_end_offset, leader_end_offset
        )
        self.last_fetch_ms = now_ms
        self.broker_epoch = broker_epoch

    def _keep_pace(self, fetch_offset: int, leader_end_offset: int, now_ms: int) -> None:
        if fetch_offset < self.log_end_offset:
            self.kept_pace_ms = self._goal_ms = None
        if fetch_offset >= leader_end_offset:
            self.kept_pace_ms = now_ms
            self._goal_ms = None
        elif self._goal_ms is None or fetch_offset >= self._goal_offset:
            if self._goal_ms is not None:
                self.kept_pace_ms = self._goal_ms
            self._goal_offset, self._goal_ms = leader_end_offset, now_ms

    def was_idle(self, until_ms: int) -> None:
        """Note fetches at the leader's log end, the last one at `until_ms`; see `fetch_session`."""
        self.last_caught_up_ms = max(self.last_caught_up_ms, until_ms)
        self.kept_pace_ms = max(self.kept_pace_ms or 0, until_ms)
        self.last_fetch_ms = max(self.last_fetch_ms, until_ms)

    def reset(
        self, *, in_isr: bool, still_leader: bool, leader_end_offset: int, now_ms: int
    ) -> None:
        """Reset the state for a new leader epoch.

        A broker that stays leader keeps the offsets of the follower's log. A new leader does not
        know them until the follower fetches.
        """
        if still_leader:
            self.last_fetch_leader_end_offset = leader_end_offset
            self.last_fetch_ms = now_ms if in_isr else 0
        else:
            self.log_end_offset = UNKNOWN_OFFSET
            self.log_start_offset = UNKNOWN_OFFSET
            self.last_fetch_leader_end_offset = UNKNOWN_OFFSET
            self.last_fetch_ms = 0
            self.broker_epoch = None
            self.kept_pace_ms = self._goal_ms = None
        self.last_caught_up_ms = now_ms if in_isr else 0

    def is_caught_up(self, leader_end_offset: int, now_ms: int, lag_max_ms: int) -> bool:
        """True if the follower has, or recently had, everything that the leader has."""
        return (
            self.log_end_offset == leader_end_offset
            or now_ms - self.last_caught_up_ms <= lag_max_ms
        )

    def keeps_pace(self, now_ms: int, lag_max_ms: int) -> bool:
        """True if the follower has everything that the leader had `lag_max_ms` ago.

        Unlike `is_caught_up`, also if there is always more than one fetch to read.
        """
        return self.kept_pace_ms is not None and now_ms - self.kept_pace_ms <= lag_max_ms
