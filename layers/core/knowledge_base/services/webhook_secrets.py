"""The secret that a tenant's webhooks are signed with."""

from __future__ import annotations

from datetime import timedelta

from knowledge_base.domain.access import Principal
from knowledge_base.domain.signatures import new_secret
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.keys import Secrets, WebhookSecrets
from knowledge_base.services.access import require_admin

OVERLAP = timedelta(hours=24)
"""How long the secret before stays valid, so that receivers can change theirs without a gap."""


class WebhookSecretKeeper:
    """Makes and rotates webhook secrets."""

    def __init__(self, *, secrets: Secrets, clock: Clock) -> None:
        self._secrets = secrets
        self._clock = clock

    def rotate(self, caller: Principal) -> WebhookSecrets:
        """Make a new secret for the caller's tenant; the one before signs along for a day.

        Raises:
            NotPermitted: the caller is no admin.
            StaleState: another rotation happened at the same moment.
        """
        require_admin(caller)
        before = self._secrets.get(caller.tenant)
        made = WebhookSecrets(new_secret())
        if before:
            made = WebhookSecrets(new_secret(), before.current, self._clock.now() + OVERLAP)
        self._secrets.put(caller.tenant, made, before=before)
        return made
