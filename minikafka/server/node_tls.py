"""TLS of a node: the contexts of its listeners and of its connections to other nodes.

The keys and certificates are read again while the node runs, when their files change or the dynamic
configuration of the broker does. New connections use them; those that are open are kept. What
cannot be used is logged, and the contexts in use stay; a change of the dynamic configuration is
refused by `problem` before. Source: `DynamicBrokerConfig`,
`SslFactory.reconfigure`.
"""

import asyncio
import logging
import ssl
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from minikafka.common.effects import Channel
from minikafka.common.events import AuthenticationFailed, Event
from minikafka.config.definition import ConfigError
from minikafka.config.node_config import NodeConfig
from minikafka.config.sasl_keys import CONNECTION_FAILED_AUTHENTICATION_DELAY_MS
from minikafka.config.ssl_keys import (
    ALLOW_DN_CHANGES,
    ALLOW_SAN_CHANGES,
    SslSettings,
    reloaded_key,
    ssl_settings,
)
from minikafka.security.certificate import Certificate
from minikafka.security.ssl_principal import SslPrincipalMapper
from minikafka.server.connection import ConnectionOwner
from minikafka.server.outbound import Link
from minikafka.server.tls import ReceiveBuffer
from minikafka.server.tls_inbound import HandshakeFailures, InboundTls, TlsConnection
from minikafka.server.tls_outbound import OutboundTls
from minikafka.tls.contexts import TlsContexts, client_context, node_contexts, validity_warning
from minikafka.tls.stores import TlsError, files_of

_log = logging.getLogger("minikafka.server")
_CHECK_S: Final = 2.0
_Signature = tuple[tuple[str, int, int, int], ...]


class _Loaded(NamedTuple):
    """The contexts of a listener, and what they were made of."""

    settings: SslSettings
    signature: _Signature
    contexts: TlsContexts


class NodeTls:
    """The contexts of a node, by listener."""

    def __init__(self, config: NodeConfig) -> None:
        """Read all keys and certificates.

        Raises:
            TlsError: one of them cannot be used; the text names the setting or file.
        """
        self._config = config
        self._own = frozenset(each.name for each in config.listeners)
        self._loaded: dict[str, _Loaded] = {}
        self._seen: dict[str, object] = {}
        """The last settings and files that are not in use, by listener; or their error."""
        self._judged: dict[str, object] = {}
        for name, settings in config.ssl.items():
            try:
                SslPrincipalMapper(settings.principal_rules)
            except ValueError as error:
                raise TlsError(f"ssl.principal.mapping.rules: {error}") from None
            self._loaded[name] = self._load(name, settings)
            self._warn(name)

    def failures(
        self, loop: asyncio.AbstractEventLoop, step: Callable[[Event], None]
    ) -> HandshakeFailures:
        """Return what reports failed handshakes to the log and to the node."""
        return HandshakeFailures(loop, lambda listener: step(AuthenticationFailed(listener)))

    def secured(
        self, loop: asyncio.AbstractEventLoop, owner: ConnectionOwner, failures: HandshakeFailures
    ) -> Mapping[str, Callable[[], asyncio.BaseProtocol]]:
        """Return what creates the protocol of a new connection, for each listener with TLS."""
        buffer = ReceiveBuffer()
        delay_s = self._config.values[CONNECTION_FAILED_AUTHENTICATION_DELAY_MS] / 1000

        def accept(name: str) -> asyncio.BaseProtocol:
            context = self._loaded[name].contexts.server
            assert context is not None
            connection = TlsConnection(owner, name)
            return InboundTls(connection, context, loop, buffer, failures=failures, delay_s=delay_s)

        return {name: partial(accept, name) for name in self._loaded if name in self._own}

    def outbound(
        self, loop: asyncio.AbstractEventLoop
    ) -> Callable[[Link], asyncio.BufferedProtocol]:
        """Return what puts TLS below a link, if its channel needs it."""
        buffer = ReceiveBuffer()

        def secure(link: Link) -> asyncio.BufferedProtocol:
            context = self._client_context(link.channel)
            if context is None:
                return link
            return OutboundTls(link, context, loop, buffer)

        return secure

    def _client_context(self, channel: Channel) -> ssl.SSLContext | None:
        config = self._config
        name = (
            config.controller_listener_names[0]
            if channel.is_to_controller
            else config.inter_broker_listener_name
        )
        loaded = self._loaded.get(name)
        return None if loaded is None else loaded.contexts.client

    # Reading again

    def follow(
        self, loop: asyncio.AbstractEventLoop, values: Callable[[], Mapping[str, str]]
    ) -> Callable[[], None]:
        """Check for changes of files and of `values` every few seconds; return what ends it."""

        def check() -> None:
            self.reload(values())
            timers[0] = loop.call_later(_CHECK_S, check)

        def end() -> None:
            timers[0].cancel()

        timers = [loop.call_later(_CHECK_S, check)]
        return end

    def reload(self, values: Mapping[str, str], *, at_once: bool = False) -> None:
        """Replace the contexts whose settings or files have changed.

        `values` are those in force; only keys that may change while a node runs are taken. Unless
        `at_once`, a change counts when two calls have seen it: two files may be replaced one after
        the other.
        """
        changed = {name: text for name, text in values.items() if reloaded_key(name)}
        for name in list(self._loaded):
            values_now = {**self._config.values.given, **changed}
            self._reload_one(name, values_now, at_once=at_once)

    def problem(self, values: Mapping[str, str]) -> str:
        """Return why a listener could not use these dynamic values; empty if it could.

        Only listeners that they change are checked.
        """
        changed = {name: text for name, text in values.items() if reloaded_key(name)}
        given = {**self._config.values.given, **changed}
        for name, before in self._loaded.items():
            try:
                has_sasl = self._config.security_protocols[name].has_sasl
                settings = ssl_settings(given, name, has_sasl=has_sasl)
                if settings != before.settings:
                    _check_names(before.contexts.certificate, self._load(name, settings))
            except (ConfigError, TlsError) as error:
                return f"listener {name}: {error}"
        return ""

    def _reload_one(self, name: str, values: Mapping[str, str], *, at_once: bool) -> None:
        loaded = self._loaded[name]
        try:
            has_sasl = self._config.security_protocols[name].has_sasl
            settings = ssl_settings(values, name, has_sasl=has_sasl)
        except ConfigError as error:
            if self._seen.get(name) != str(error):
                self._seen[name] = str(error)
                self._refuse(name, error)
            return
        state = (settings, _signature(settings))
        if state == (loaded.settings, loaded.signature):
            self._seen.pop(name, None)
        elif self._seen.get(name) != state and not at_once:
            self._seen[name] = state
        elif self._judged.get(name) != state:
            self._judged[name] = state
            self._replace(name, settings)

    def _replace(self, name: str, settings: SslSettings) -> None:
        before = self._loaded[name]
        try:
            loaded = self._load(name, settings)
            _check_names(before.contexts.certificate, loaded)
        except TlsError as error:
            self._refuse(name, error)
            return
        self._loaded[name] = loaded
        _log.info("listener %s: its keys and certificates were read again", name)
        self._warn(name)

    def _refuse(self, name: str, error: Exception) -> None:
        _log.error(
            "listener %s: new keys and certificates are not used, those in use stay: %s",
            name,
            error,
        )

    def _load(self, name: str, settings: SslSettings) -> _Loaded:
        config = self._config
        signature = _signature(settings)
        if name in self._own:
            is_of_nodes = name in (
                config.inter_broker_listener_name,
                *config.controller_listener_names,
            )
            contexts = node_contexts(settings, connects=is_of_nodes)
        else:
            contexts = TlsContexts(None, client_context(settings), None, "")
        return _Loaded(settings, signature, contexts)

    def _warn(self, name: str) -> None:
        contexts = self._loaded[name].contexts
        warning = None if contexts.certificate is None else validity_warning(contexts)
        if warning is not None:
            _log.warning("listener %s: %s", name, warning)


def _signature(settings: SslSettings) -> _Signature:
    """Return values of the files of the settings that differ after each change of a file."""
    found = []
    for path in files_of(settings.keystore, settings.truststore):
        try:
            status = Path(path).stat()
        except (OSError, ValueError):
            found.append((path, 0, 0, 0))
        else:
            found.append((path, status.st_mtime_ns, status.st_size, status.st_ino))
    return tuple(found)


def _check_names(before: Certificate | None, loaded: _Loaded) -> None:
    """Check that a new certificate has the names of the one that it replaces.

    Raises:
        TlsError: it has not, and the configuration does not allow that.
    """
    after, settings = loaded.contexts.certificate, loaded.settings
    if before is None or after is None:
        return
    if not settings.allows_dn_changes and after.subject != before.subject:
        raise TlsError(
            f"{loaded.contexts.source}: the distinguished name of the certificate was "
            f"{before.subject} and would be {after.subject}; see {ALLOW_DN_CHANGES.name}"
        )
    if not settings.allows_san_changes and not (
        after.alternative_names >= before.alternative_names
    ):
        raise TlsError(
            f"{loaded.contexts.source}: the certificate lacks alternative names of the one that "
            f"it replaces; see {ALLOW_SAN_CHANGES.name}"
        )
