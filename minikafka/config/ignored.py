"""Kafka's broker configuration keys that have no effect here.

They are accepted in a properties file, checked for type and range, listed once at start as ignored,
and shown with their values by DescribeConfigs. Source: `KafkaConfig` of 4.3.1.

A line of the table is: name, type, update mode (r read-only, p per broker, c cluster-wide), range
(`low..high`, `*` for any), default (`=text`, `-` for none, `!` if the key is required).
"""

# ruff: noqa: E501 - the table has one line a key

from minikafka.config.definition import ConfigType, Key, Update, at_least, between

_TABLE = """\
alter.config.policy.class.name CLASS r * -
alter.log.dirs.replication.quota.window.num INT r 1.. =11
alter.log.dirs.replication.quota.window.size.seconds INT r 1.. =1
background.threads INT c 1.. =10
broker.id INT r * =-1
client.quota.callback.class CLASS r * -
config.providers LIST c * =
controller.performance.always.log.threshold.ms LONG r 0.. =2000
controller.performance.sample.period.ms LONG r 100.. =60000
controller.quorum.append.linger.ms INT r 0.. =25
controller.quota.window.num INT r 1.. =11
controller.quota.window.size.seconds INT r 1.. =1
controller.socket.timeout.ms INT r * =30000
cordoned.log.dirs LIST p * =
create.topic.policy.class.name CLASS r * -
delete.records.purgatory.purge.interval.requests INT r * =1
early.start.listeners LIST r * -
fetch.purgatory.purge.interval.requests INT r * =1000
follower.fetch.last.tiered.offset.enable BOOLEAN c * =false
group.coordinator.append.linger.ms INT r -1.. =-1
group.coordinator.background.threads INT r 1.. =2
group.coordinator.cached.buffer.max.bytes INT c 524288.. =1048588
group.coordinator.threads INT r 1.. =4
group.share.assignment.interval.ms INT c 0.. =1000
group.share.assignors LIST r * =simple
group.share.delivery.count.limit INT r 2..10 =5
group.share.heartbeat.interval.ms INT r 1.. =5000
group.share.initialize.retry.interval.ms INT r 1.. =30000
group.share.max.assignment.interval.ms INT r 0.. =15000
group.share.max.delivery.count.limit INT r 5..25 =10
group.share.max.heartbeat.interval.ms INT r 1.. =15000
group.share.max.partition.max.record.locks INT r 2000..10000 =4000
group.share.max.record.lock.duration.ms INT r 30000..3600000 =60000
group.share.max.session.timeout.ms INT r 1.. =60000
group.share.max.share.sessions INT r 1.. =2000
group.share.max.size INT r 1..1000 =200
group.share.min.assignment.interval.ms INT r 0.. =0
group.share.min.delivery.count.limit INT r 2..5 =2
group.share.min.heartbeat.interval.ms INT r 1.. =5000
group.share.min.partition.max.record.locks INT r 100..2000 =100
group.share.min.record.lock.duration.ms INT r 1000..30000 =15000
group.share.min.session.timeout.ms INT r 1.. =45000
group.share.partition.max.record.locks INT r 100..10000 =2000
group.share.persister.class.name STRING r * =org.apache.kafka.server.share.persister.DefaultStatePersister
group.share.record.lock.duration.ms INT r 1000..3600000 =30000
group.share.session.timeout.ms INT r 1.. =45000
group.streams.assignment.interval.ms INT c 0.. =1000
group.streams.heartbeat.interval.ms INT r 1.. =5000
group.streams.initial.rebalance.delay.ms INT r 0.. =3000
group.streams.max.assignment.interval.ms INT r 0.. =15000
group.streams.max.heartbeat.interval.ms INT r 1.. =15000
group.streams.max.session.timeout.ms INT r 1.. =60000
group.streams.max.size INT r 1.. =2147483647
group.streams.max.standby.replicas INT r 0.. =2
group.streams.min.assignment.interval.ms INT r 0.. =0
group.streams.min.heartbeat.interval.ms INT r 1.. =5000
group.streams.min.session.timeout.ms INT r 1.. =45000
group.streams.num.standby.replicas INT r 0.. =0
group.streams.session.timeout.ms INT r 1.. =45000
internal.metadata.delete.delay.millis LONG r * =60000
internal.metadata.log.segment.bytes INT r * -
internal.metadata.max.batch.size.in.bytes INT r * =8388608
kafka.metrics.polling.interval.secs INT r 1.. =10
kafka.metrics.reporters LIST r * =
log.cleaner.io.buffer.size INT c 0.. =524288
log.local.retention.bytes LONG c -2.. =-2
log.local.retention.ms LONG c -2.. =-2
metric.reporters LIST c * =org.apache.kafka.common.metrics.JmxReporter
metrics.num.samples INT r 1.. =2
metrics.recording.level STRING r * =INFO
metrics.sample.window.ms LONG r 1.. =30000
num.io.threads INT c 1.. =8
num.network.threads INT c 1.. =3
num.recovery.threads.per.data.dir INT c 1.. =2
num.replica.alter.log.dirs.threads INT r * -
num.replica.fetchers INT c 1.. =1
offsets.load.buffer.size INT r 1.. =5242880
principal.builder.class CLASS p * =class org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder
producer.purgatory.purge.interval.requests INT r * =1000
quota.window.num INT r 1.. =11
quota.window.size.seconds INT r 1.. =1
remote.fetch.max.wait.ms INT c 1.. =500
remote.list.offsets.request.timeout.ms LONG c 1.. =30000
remote.log.index.file.cache.total.size.bytes LONG c 1.. =1073741824
remote.log.index.file.cache.ttl.ms LONG r -1.. =900000
remote.log.manager.copier.thread.pool.size INT c 1.. =10
remote.log.manager.copy.max.bytes.per.second LONG c 1.. =9223372036854775807
remote.log.manager.copy.quota.window.num INT r 1.. =11
remote.log.manager.copy.quota.window.size.seconds INT r 1.. =1
remote.log.manager.expiration.thread.pool.size INT c 1.. =10
remote.log.manager.fetch.max.bytes.per.second LONG c 1.. =9223372036854775807
remote.log.manager.fetch.quota.window.num INT r 1.. =11
remote.log.manager.fetch.quota.window.size.seconds INT r 1.. =1
remote.log.manager.follower.thread.pool.size INT c 1.. =2
remote.log.manager.task.interval.ms LONG r 1.. =30000
remote.log.manager.task.retry.backoff.max.ms LONG r 1.. =30000
remote.log.manager.task.retry.backoff.ms LONG r 1.. =500
remote.log.manager.task.retry.jitter DOUBLE r 0..0.5 =0.2
remote.log.manager.thread.pool.size INT r 1.. =2
remote.log.metadata.custom.metadata.max.bytes INT r 0.. =128
remote.log.metadata.manager.class.name STRING r * =org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager
remote.log.metadata.manager.class.path STRING r * -
remote.log.metadata.manager.impl.prefix STRING r * =rlmm.config.
remote.log.metadata.manager.listener.name STRING r * -
remote.log.reader.max.pending.tasks INT r 1.. =100
remote.log.reader.threads INT c 1.. =10
remote.log.storage.manager.class.name STRING r * -
remote.log.storage.manager.class.path STRING r * -
remote.log.storage.manager.impl.prefix STRING r * =rsm.config.
remote.log.storage.system.enable BOOLEAN r * =false
replica.socket.receive.buffer.bytes INT r * =65536
replication.quota.window.num INT r 1.. =11
replication.quota.window.size.seconds INT r 1.. =1
sasl.client.callback.handler.class CLASS r * -
sasl.kerberos.kinit.cmd STRING p * =/usr/bin/kinit
sasl.kerberos.min.time.before.relogin LONG p * =60000
sasl.kerberos.principal.to.local.rules LIST p * =DEFAULT
sasl.kerberos.service.name STRING p * -
sasl.kerberos.ticket.renew.jitter DOUBLE p * =0.05
sasl.kerberos.ticket.renew.window.factor DOUBLE p * =0.8
sasl.login.class CLASS r * -
sasl.login.connect.timeout.ms INT r * -
sasl.login.read.timeout.ms INT r * -
sasl.login.refresh.buffer.seconds SHORT p * =300
sasl.login.refresh.min.period.seconds SHORT p * =60
sasl.login.refresh.window.factor DOUBLE p * =0.8
sasl.login.refresh.window.jitter DOUBLE p * =0.05
sasl.login.retry.backoff.max.ms LONG r * =10000
sasl.login.retry.backoff.ms LONG r * =100
sasl.oauthbearer.assertion.algorithm STRING r * =RS256
sasl.oauthbearer.assertion.claim.aud STRING r * -
sasl.oauthbearer.assertion.claim.exp.seconds INT r 0..86400 =300
sasl.oauthbearer.assertion.claim.iss STRING r * -
sasl.oauthbearer.assertion.claim.jti.include BOOLEAN r * =false
sasl.oauthbearer.assertion.claim.nbf.seconds INT r 0..3600 =60
sasl.oauthbearer.assertion.claim.sub STRING r * -
sasl.oauthbearer.assertion.file STRING r * -
sasl.oauthbearer.assertion.private.key.file STRING r * -
sasl.oauthbearer.assertion.private.key.passphrase PASSWORD r * -
sasl.oauthbearer.assertion.template.file STRING r * -
sasl.oauthbearer.client.credentials.client.id STRING r * -
sasl.oauthbearer.client.credentials.client.secret PASSWORD r * -
sasl.oauthbearer.jwks.endpoint.refresh.ms LONG r * =3600000
sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms LONG r * =10000
sasl.oauthbearer.jwks.endpoint.retry.backoff.ms LONG r * =100
sasl.oauthbearer.jwt.retriever.class CLASS r * =class org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever
sasl.oauthbearer.jwt.validator.class CLASS r * =class org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator
sasl.oauthbearer.scope STRING r * -
security.providers STRING r * -
server.max.startup.time.ms LONG r 0.. =9223372036854775807
share.coordinator.append.linger.ms INT r -1.. =-1
share.coordinator.cached.buffer.max.bytes INT c 524288.. =1048588
share.coordinator.cold.partition.snapshot.interval.ms INT r 1.. =300000
share.coordinator.load.buffer.size INT r 1.. =5242880
share.coordinator.snapshot.update.records.per.snapshot INT r 0..500 =500
share.coordinator.state.topic.compression.codec INT r * =0
share.coordinator.state.topic.min.isr SHORT r 1.. =2
share.coordinator.state.topic.num.partitions INT r 1.. =50
share.coordinator.state.topic.prune.interval.ms INT r 1.. =300000
share.coordinator.state.topic.replication.factor SHORT r 1.. =3
share.coordinator.state.topic.segment.bytes INT r 1.. =104857600
share.coordinator.threads INT r 1.. =1
share.coordinator.write.timeout.ms INT r 1.. =5000
share.fetch.purgatory.purge.interval.requests INT r * =1000
socket.connection.setup.timeout.max.ms LONG r * =30000
socket.connection.setup.timeout.ms LONG r * =10000
socket.receive.buffer.bytes INT r * =102400
socket.send.buffer.bytes INT r * =102400
ssl.engine.factory.class CLASS p * -
ssl.keymanager.algorithm STRING p * =SunX509
ssl.provider STRING p * -
ssl.secure.random.implementation STRING p * -
ssl.trustmanager.algorithm STRING p * =PKIX
telemetry.max.bytes INT r 1.. =1048576
transaction.state.log.load.buffer.size INT r 1.. =5242880
transaction.two.phase.commit.enable BOOLEAN r * =false
unstable.api.versions.enable BOOLEAN r * =false
unstable.feature.versions.enable BOOLEAN r * =false
"""

_UPDATES = {"r": Update.READ_ONLY, "p": Update.PER_BROKER, "c": Update.CLUSTER_WIDE}


def ignored_keys() -> tuple[Key[object], ...]:
    """One key for each line of the table, parsed only when a start needs one of them."""
    return tuple(_key(line) for line in _TABLE.splitlines())


def _key(line: str) -> Key[object]:
    name, kind, update, bounds, default = line.split(" ", 4)
    low, _, high = bounds.partition("..")
    valid = None
    if bounds != "*":
        valid = between(float(low), float(high)) if high else at_least(int(low))
    key: Key[object] = Key(
        name=name,
        type=ConfigType[kind],
        default=None,
        valid=valid,
        update=_UPDATES[update],
        ignored=True,
        nullable=default == "-",
    )
    if not default.startswith("="):
        return key
    return Key(
        name=name,
        type=key.type,
        default=key.parse(default[1:]),
        valid=valid,
        update=key.update,
        ignored=True,
    )
